# A file that cannot be written takes no other with it, and is told of once.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 99 --stop none \
    --route /dev/full --logits a -R b >out
status=$?
test "$(wc -c <a)" = $(($(wc -w <out) * 4 * 266)) && ls
grep -c peak_bytes b
exit $status
