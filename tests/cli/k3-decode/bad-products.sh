# Each product that is not finite is named, also where several run together.
bad() {
	rm -rf m && cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
	python3 "$K3_VECTORS/../damage.py" m "language_model.model.layers.$1" "$2" "$3"
	echo 1 2 3 | k3-decode -q -m m -j 2
	echo $?
}
for t in q k v f_a b g f_b; do
	bad 0.self_attn.${t}_proj.weight 2 c07f
done
for t in q_a_proj kv_a_proj_with_mqa q_b_proj g_proj; do
	bad 2.self_attn.$t.weight 2 807f
done
for t in gate up down; do
	bad 0.mlp.${t}_proj.weight 2 80ff
	bad 1.block_sparse_moe.shared_experts.${t}_proj.weight 2 c07f
done
bad 1.block_sparse_moe.gate.weight 2 c07f
bad 1.block_sparse_moe.routed_expert_down_proj.weight 2 c07f
bad 1.block_sparse_moe.routed_expert_up_proj.weight 2 c07f
# Experts: finite weights, the largest there are, add up to too much.
seven=$(printf '7%.0s' $(seq 1024)) high=$(printf 'fc%.0s' $(seq 32))
bad_expert() {
	rm -rf m && cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
	for e in 0 1 2; do
		python3 "$K3_VECTORS/../damage.py" m "language_model.model.layers.1.block_sparse_moe.experts.$e.$1.weight_packed" 0 "$seven"
		python3 "$K3_VECTORS/../damage.py" m "language_model.model.layers.1.block_sparse_moe.experts.$e.$1.weight_scale" 0 "$high"
	done
	echo 1 2 3 | k3-decode -q -m m -j 2
	echo $?
}
for w in w1 w2 w3; do bad_expert $w; done
