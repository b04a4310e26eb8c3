# What would be guessed for the next layer: a stream of another topk.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/odd" -n 0 --hidden h >out
k3-route -q -m "$K3_TOYS/odd" --hidden h --lookahead 3
k3-route -q -m "$K3_TOYS/odd" --hidden h --lookahead 1000
