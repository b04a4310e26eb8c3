# Sizes in any order, twice or none at all, and more than there are experts.
k3-trace cache --slots 20,0,20,5,4294967295 --policy own "$K3_VECTORS/routes/demo.route"
k3-trace cache --size 1.5M,100K,0 --disk 2.7 -m "$K3_TOYS/wide" --policy belady,lru \
    "$K3_VECTORS/wide/routes"
k3-trace cache --size 1.5M --disk .5 --expert-bytes 9728 --policy lru "$K3_VECTORS/wide/routes"
