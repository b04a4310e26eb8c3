echo 1 2 3 | k3-verify same -q --quick -m "$K3_TOYS/tiny" >/dev/full
echo $?
echo 1 2 3 | k3-verify same -q --quick --json -m "$K3_TOYS/tiny" >/dev/full
