# A model's folder may come with links: what is no layer file is not replaced.
cp -r "$K3_TOYS/tiny" m
chmod -R u+w m
mkdir m/trunk
echo precious >victim
ln -s ../../victim m/trunk/001.k3l
k3-pack -q -m m || echo $?
cat victim
ls m/trunk
: >victim
k3-pack -q -m m && k3-pack --layer 1 -o - -m m | cmp - victim
