# One line a pass, position and MoE layer; an empty sequence has none.
printf '1 2 3\n\n4\n' | k3-route -q -m "$K3_TOYS/tiny" --chunk 2
