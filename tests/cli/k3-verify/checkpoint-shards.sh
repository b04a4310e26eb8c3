# Files that are missing, cut, swapped, or too long; all are told.
cp -r "$K3_TOYS/odd" m && chmod -R u+w m
rm m/model-00001-of-000003.safetensors
truncate -s -100000 m/model-00002-of-000003.safetensors
echo behind >>m/model-00003-of-000003.safetensors
k3-verify checkpoint m | grep -v 'it shares'
rm -rf m && cp -r "$K3_TOYS/odd" m && chmod -R u+w m && cd m
mv model-00001-of-000003.safetensors x
mv model-00002-of-000003.safetensors model-00001-of-000003.safetensors
mv x model-00002-of-000003.safetensors
k3-verify checkpoint . | sed '2,$ { $!d; }'
