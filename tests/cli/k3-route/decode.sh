# What k3-decode notes of the same prompts, in any memory.
printf '1 2 3 4 5 6 7 8 9\n\n4 5\n7\n' >ids
for toy in tiny big odd wide mixed thirteen; do
	k3-decode -q -m "$K3_TOYS/$toy" -n 1 --chunk 4 --route r ids >out
	awk '$2 != "d"' r >want
	k3-route -q -m "$K3_TOYS/$toy" --chunk 4 ids | cmp - want
	k3-route -q -m "$K3_TOYS/$toy" --chunk 4 --trunk-ram 0 --cache-ram 0 \
	    -j 1 --cpu scalar ids | cmp - want
done
