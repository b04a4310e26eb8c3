# A closed stream is an error, and no file of the run takes its number.
k3-decode -q -m "$K3_TOYS/tiny" <&-
echo $?
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 2 --stop none --logits a >&-
echo $?
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 2 --stop none --logits b >&- 2>&-
echo $?
cmp a b
