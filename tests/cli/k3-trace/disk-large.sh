# Experts as large as nobody has them: refused, and not tried.
mkdir model
sed -E 's/("moe_intermediate_size": *)[0-9]+/\11048576/
	s/("routed_expert_hidden_size": *)[0-9]+/\1524288/' \
	"$K3_TOYS/wide/config.json" >model/config.json
truncate -s 3T model/model.safetensors
k3-trace disk model 2>&1 | sed 's/and [0-9]* are/and N are/'
k3-trace disk model 2>/dev/null
