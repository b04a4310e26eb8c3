# How many CPU levels and I/O engines there are depends on the machine.
for toy in thirteen odd wide; do
	echo "$toy"
	echo 3 4 5 6 7 8 9 10 11 12 >ids
	k3-verify same -q -j 2 -n 4 -m "$K3_TOYS/$toy" ids |
	    grep -v -e '^cpu' -e '^io'
done
