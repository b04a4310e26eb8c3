# Two of them in one folder: each file is written by one, and right.
ln -s "$K3_TOYS/thirteen" m
k3-pack -q -m m -o a
k3-pack -q -m m -o b 2>err1 & k3-pack -q -m m -o b 2>err2
wait
grep -v 'another process is writing it' err1 err2
k3-pack -m m -o b
diff -r a b
