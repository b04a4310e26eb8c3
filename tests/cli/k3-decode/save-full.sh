# What was generated is there, and the failure is told.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none --save /dev/full
