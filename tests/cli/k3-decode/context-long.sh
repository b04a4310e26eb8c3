# The model's max_position_embeddings, 128, is the limit.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" --context 129
