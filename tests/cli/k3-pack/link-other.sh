# A model's folder may come with links: what is no file of a
# trunk is not replaced; nor is a session, which is a layer file too.
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
rm -r m/trunk
echo 1 2 3 | k3-decode -q -m m -n 1 --save session
cp session was
mkdir m/trunk
for name in 001 head; do
	ln -s ../../session m/trunk/$name.k3l
	k3-pack -q -m m || echo $?
	rm m/trunk/$name.k3l
done
cmp session was
