# Any large file, which stays as it is.
head -c 36000000 /dev/urandom >large
cp large copy
k3-trace disk -q --seconds 0.01 --depth 8 large | cut -f 1-3
cmp large copy
