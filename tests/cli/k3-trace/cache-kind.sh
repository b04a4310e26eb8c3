# Passes of one kind; none is no line to count, and no error.
k3-trace cache --kind p --policy lru --slots 50 "$K3_VECTORS/routes/demo.route"
k3-trace cache --kind d --policy lru --slots 50 "$K3_VECTORS/routes/demo.route"
head -n 1 "$K3_VECTORS/routes/demo.route" | k3-trace cache --policy own --slots 0,9 --expert-bytes 1K --disk 1
head -n 1 "$K3_VECTORS/routes/demo.route" | k3-trace cache --policy own,lru
