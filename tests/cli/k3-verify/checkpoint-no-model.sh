k3-verify checkpoint nowhere
echo $?
mkdir m && cp "$K3_TOYS/tiny/config.json" m
k3-verify checkpoint m
echo $?
cp "$K3_TOYS/tiny/config.json" m/model.safetensors
k3-verify checkpoint m | tail -n 2 | cut -c 1-60
echo '{' >m/config.json
k3-verify checkpoint m
