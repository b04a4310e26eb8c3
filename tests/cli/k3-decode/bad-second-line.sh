# What was right is kept: the first line's ID is out.
printf '1 2\n1 x\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --logits l >out
status=$?
wc -lc <out | tr -s ' '
wc -c <l
exit $status
