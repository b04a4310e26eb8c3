# Without -o the trunk goes into the model's folder; K3_MODEL names the model.
cp -r "$K3_TOYS/tiny" m
K3_MODEL=m k3-pack
ls -A m/trunk
