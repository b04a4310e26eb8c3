# A bit of layer 2 is another: there they part, at the first token.
cp -r "$K3_TOYS/thirteen" m && chmod -R u+w m
python3 "$K3_VECTORS/../damage.py" m language_model.model.layers.2.self_attn.o_proj.weight 11 3d
seq -s ' ' 1 9 >prompt
for i in one two; do
	k3-decode -q -m "$K3_TOYS/thirteen" -n 1 --cpu scalar --hidden $i prompt >out
done
k3-decode -q -m m -n 1 --cpu scalar --hidden bit prompt >out
k3-verify diff one two
k3-verify diff one bit | grep -v '^[4-9]\|^1[0-2]'
k3-verify diff one/002.k3l - <bit/002.k3l >1
cat bit/002.k3l | k3-verify diff one/002.k3l /dev/stdin | cmp 1 -
k3-verify diff - bit/002.k3l <one/002.k3l | cmp 1 -
k3-verify diff one/002.k3l bit/002.k3l | cmp 1 -
k3-verify diff --abs 1 one bit | tail -n 1
k3-pack -q -m "$K3_TOYS/thirteen" -o p
k3-pack -q -m m -o q
k3-verify diff p q
