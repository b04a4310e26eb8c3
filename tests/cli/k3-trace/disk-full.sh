k3-trace disk -q --seconds 0.01 --depth 8 "$K3_TOYS/tiny" >/dev/full
echo $?
k3-trace disk -q --seconds 0.01 --depth 8 --json "$K3_TOYS/tiny" >/dev/full
echo $?
