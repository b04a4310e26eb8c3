# All that is missing or refused, in one message.
mkdir m && cp "$K3_TOYS/tiny"/* m && chmod -R u+w m
sed -i 's/"num_experts":/"num_expertz":/; s/"situ"/"gelu"/; s/"rms_norm_eps":/"eps":/' m/config.json
echo 1 2 3 | k3-decode -q -m m
