for toy in thirteen odd wide; do
	echo "$toy"
	k3-verify gates -q -j 2 -n 4 -m "$K3_TOYS/$toy" |
	    grep -v -e '^cpu' -e '^io'
done
