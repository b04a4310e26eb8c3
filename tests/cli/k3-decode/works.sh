# Greedy IDs of a toy: those of the independent reference.
k3-decode -q -m "$K3_TOYS/thirteen" -n 20 --stop none \
    "$K3_VECTORS/thirteen/prompt.ids" | cmp - "$K3_VECTORS/thirteen/greedy.ids"
