echo 3 4 5 6 |
    k3-verify same -q -j 1 --plan --disk 1 --io pread -m "$K3_TOYS/big" |
    cut -f 1-4 | grep -v -e '^cpu' -e '^io' -e '^all'
# A model that is not there yet.
mkdir model
cp "$K3_TOYS/tiny/config.json" model
echo 3 4 5 6 | k3-verify same -q -j 1 --quick --plan --disk 1 -r 64M -m model |
    cut -f 1-2
