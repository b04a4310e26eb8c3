# Nobody wants logits: it needs less memory than k3-decode, and says how much.
model=$K3_TOYS/big
least() { "$@" -q -m "$model" --chunk 1 --context 9 -r 1 ids 2>&1 | sed 's/.* is //'; }
echo 1 2 3 >ids
few=$(least k3-route)
test "$few" -lt "$(least k3-decode)"
echo $?
k3-route -q -m "$model" --chunk 1 --context 9 -r "$few" ids | wc -l
