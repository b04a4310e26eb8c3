# Kimi K3 on 32 GB and 128 GB: all memory to the trunk, until compute takes as
# long as reading what is left.
k3-trace split -q -m "$K3_VECTORS/../../examples/kimi-k3" -j 2 -r 32G,128G --disk 3 --memory 20 --compute 500
# Two disks; no prompt.
k3-trace split -q -m "$K3_VECTORS/../../examples/kimi-k3" -j 2 -r 64G --disk 2 --trunk-disk 6 \
	--memory 1000 --compute 1000 --prompt 0 | awk '$NF == 1'
# The rates of a file.
printf '{"k3-disk": 1, "trunk_rate": 6e9, "expert_rate": 2e9}' >disk.json
k3-trace split -q -m "$K3_VECTORS/../../examples/kimi-k3" -j 2 -r 64G --disk disk.json \
	--memory 1000 --compute 1000 --prompt 0 | awk '$NF == 1'
