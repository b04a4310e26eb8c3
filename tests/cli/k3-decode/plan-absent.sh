# A plan needs no more than config.json: the released layout is presumed, also
# if half of the files are there.  Files that are bad are not passed over, and
# anything but a plan needs them all.
mkdir alone half bad
cp "$K3_TOYS/tiny/config.json" alone
k3-decode -m alone -r 1G --plan | sed -n '1,/^head/p'
k3-decode -q -m alone -r 1G --plan | grep -c .
cp "$K3_TOYS/odd/config.json" half
for f in "$K3_TOYS"/odd/model-*3-of-*; do
	ln -s "$f" half
done
k3-decode -m half -r 1G --plan | grep ^trunk
k3-decode -m "$K3_TOYS/odd" -r 1G --plan | grep ^trunk
ln -s "$K3_TOYS/tiny/config.json" bad
head -c 100 "$K3_TOYS/tiny/model.safetensors" >bad/model.safetensors
k3-decode -m bad -r 1G --plan
echo $?
k3-decode -m alone </dev/null
