# Where the shards are not there, those of the released layout.
mkdir m
cp "$K3_TOYS/odd/config.json" m
echo 1 2 | k3-route -q -m "$K3_TOYS/odd" | k3-route --reads -m m | head -n 4
