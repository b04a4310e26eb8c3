# A table that cannot be written is an error.
k3-trace cache "$K3_VECTORS/routes/demo.route" >/dev/full
echo $?
k3-trace cache --json "$K3_VECTORS/routes/demo.route" >/dev/full
