# Where lines are missing, a pass has the tokens of its layer with most lines.
echo 1 2 3 4 5 6 | k3-route -q -m "$K3_TOYS/odd" >routes
awk '$5 != 2 || $4 == 3' routes >thin
for file in routes thin; do
	k3-trace stat $file | grep tokens
	k3-trace cache --json --policy lru --slots 9 $file | head -n 2
done
k3-trace cache --expert-bytes 100 --policy lru --slots 9 thin
