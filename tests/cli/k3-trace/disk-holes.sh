# Holes are not read from a device: said, and no failure.
truncate -s 100M holes
k3-trace disk --seconds 0.01 --depth 8 holes 2>err >/dev/null && grep device: err
k3-trace disk -q --json --seconds 0.01 --depth 8 holes |
	grep -E 'direct|from_device'
