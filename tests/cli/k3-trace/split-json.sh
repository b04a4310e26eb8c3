# The same for programs.
k3-trace split -q -m "$K3_TOYS/big" -j 2 --disk 1 --memory 2 --compute 3 \
	-r 60M --json >json
grep -o '"[a-z_]*":' json | sort | uniq -c
grep -c '"best": true' json
