for toy in tiny mixed thirteen; do
	k3-pack -q -m "$K3_TOYS/$toy" -o "$toy"
	k3-verify trunk -m "$K3_TOYS/$toy" "$toy" || exit
	k3-verify trunk -m "$K3_TOYS/$toy" --quick "$toy" || exit
done
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m && mv tiny m/trunk
cp m/trunk/000.k3l m/trunk/099.k3l
K3_MODEL=m k3-verify trunk -v
