# What is not known is null.
k3-trace cache --json --policy lfu --slots 9,99 "$K3_VECTORS/routes/demo.route"
K3_MODEL=$K3_TOYS/wide k3-trace cache --json --policy lfu --slots 9 --disk 1 "$K3_VECTORS/wide/routes"
