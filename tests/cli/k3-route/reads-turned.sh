# What turns a line round in a shard's name is not printed.
cp -r "$K3_TOYS/odd" m && chmod -R u+w m
for n in 1 2 3; do
	mv "m/model-0000$n-of-000003.safetensors" \
	    "m/$(printf '\342\200\256%d' $n).safetensors"
done
sed -i 's/model-0000\([123]\)-of-000003/\\u202e\1/' m/model.safetensors.index.json
echo 1 2 | k3-route -q -m m >routes
k3-route -q --reads -m m routes | cut -f 1 | sort -u
