# An output without a name is refused before the run, not after it.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" --logits ''
