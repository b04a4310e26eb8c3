echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --logits logits >ids
k3-verify diff logits logits >/dev/full
