# The same model in other shards has the same packed trunk.
for s in 1 2 7; do
	"$K3_TOYS"/../tests/toy --shards $s --order shuffled tiny m$s
	k3-pack -m m$s -o trunk$s
done
diff -r trunk1 trunk2 && diff -r trunk1 trunk7
