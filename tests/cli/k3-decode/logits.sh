# A row of float32 for each generated ID, sequences one after the other.
printf '1 2\n3\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 3 --stop none --logits l >out
vocab=$(sed -n 's/.*"vocab_size": *\([0-9]*\).*/\1/p' "$K3_TOYS/tiny/config.json" | head -1)
expr "$(wc -c <l)" / 4 / "$vocab"
