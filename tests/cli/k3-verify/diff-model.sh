# The model tells how many logits are in a row.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 3 --stop none --logits one >out
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 3 --stop none --cpu scalar --logits two >out
k3-verify diff -m "$K3_TOYS/tiny" one two
printf '\377' | dd of=two bs=1 seek=$(($(wc -c <one) / 3 + 9)) conv=notrunc status=none
k3-verify diff -m "$K3_TOYS/tiny" one two | head -n 1
k3-verify diff -m none one two
