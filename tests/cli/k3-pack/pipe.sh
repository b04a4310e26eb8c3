# On a pipe come the bytes of the file; a listed pipe is a listed file.
ln -s "$K3_TOYS/mixed" m
k3-pack -m m -o trunk
for n in 0 3 5 head; do
	f=trunk/$(printf '%03d' $n 2>/dev/null).k3l
	[ $n != head ] || f=trunk/head.k3l
	k3-pack --layer $n -o - -m m | cmp - "$f"
	k3-pack --list - <"$f" >a
	k3-pack --list "$f" | cmp - a
done
k3-pack --layer 3 -m m -o one && ls one && cmp one/003.k3l trunk/003.k3l
