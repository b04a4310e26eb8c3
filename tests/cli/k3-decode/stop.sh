# The stop ID is written and counted; "none" goes on.
set -- $(echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none)
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop "$2" >out
echo "$1 $2" | cmp - out
