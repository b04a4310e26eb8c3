# IDs that were written stay.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --logits /dev/full >out
status=$?
wc -w <out
exit $status
