# A model's shards and its own experts; one that has only begun to come.
k3-trace disk -q --seconds 0.01 --depth 8 "$K3_TOYS/wide" | cut -f 1-3
K3_MODEL=$K3_TOYS/wide k3-trace disk -v --seconds 0.01 2>&1 >/dev/null |
	grep reading
mkdir new
cp "$K3_TOYS/wide/config.json" new
k3-trace disk -q --seconds 0.01 --depth 8 --size 1M new | cut -f 1-3
ls new
