# One file and several, with an index and without; what nobody needs is told.
for toy in tiny odd mixed; do
	k3-verify checkpoint "$K3_TOYS/$toy" || exit
done
K3_MODEL=$K3_TOYS/tiny k3-verify checkpoint -v
k3-verify checkpoint -m "$K3_TOYS/tiny"
