# A vector with a number that is not finite, which no product would show.
bad() {
	rm -rf m && cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
	python3 "$K3_VECTORS/../damage.py" m "language_model.model.$1" 0 "$2"
	echo 1 2 3 | k3-decode -q -m m
	echo $?
}
bad layers.1.block_sparse_moe.gate.e_score_correction_bias 0000c07f
bad layers.1.block_sparse_moe.gate.e_score_correction_bias 000080ff
bad layers.0.self_attn.dt_bias 0000807f
bad layers.0.self_attn.A_log 000080ff
bad output_attn_res_norm.weight 80ff
