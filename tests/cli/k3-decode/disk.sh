# Times at one rate; a rate is a number of GB/s, and of use for a plan only.
k3-decode -m "$K3_TOYS/tiny" --plan=100 --disk 2.5 -r 1G | sed -n 's/:.*//; /^at/p'
for rate in 0 -1 2G nan ''; do
	k3-decode -m "$K3_TOYS/tiny" --plan --disk "$rate"
	echo $?
done
# Two rates from a file; and compute, which may bind.
printf '{"k3-disk": 1, "trunk_rate": 3e9, "expert_rate": 2e9}' >disk.json
thirteen() {
	k3-decode -m "$K3_TOYS/thirteen" -p laptop --trunk-ram 0 --cache-ram 0 \
		--plan=100 --chunk 100 "$@" | sed -n '/^at/p'
}
thirteen --disk disk.json
thirteen --disk 2 --memory 1 --compute 1
thirteen --disk 2 --memory 0.001 --compute 0.001
k3-decode -m "$K3_TOYS/tiny" --plan -r 1G --disk disk.json --json |
	grep -o '"[a-z_]*disk": [0-9.]*'
for rate in 0 1e3 x; do
	thirteen --compute "$rate"
	thirteen --memory "$rate"
done
printf '{"trunk_rate": 3e9, "expert_rate": 2e9}' >disk.json
k3-decode -m "$K3_TOYS/tiny" --plan --disk disk.json
echo $?
k3-decode -m "$K3_TOYS/tiny" --compute 2 </dev/null 2>/dev/null
echo $?
k3-decode -m "$K3_TOYS/tiny" --memory 2 </dev/null 2>/dev/null
echo $?
k3-decode -m "$K3_TOYS/tiny" --disk 2 </dev/null 2>/dev/null
