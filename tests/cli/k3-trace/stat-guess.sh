# Guesses are compared with the lines that they are about.
cat >routes <<'END'
#k3-route 1 layers=2 experts=4 topk=1
0	d	0	0	1	3	-
1	d	0	1	1	2	-
END
cat >guess <<'END'
#k3-route 1 layers=2 experts=4 topk=2
0	d	0	0	1	1,3	-
0	d	0	1	1	1,3	-
END
sed 's/layers=2/layers=3/' guess >shape
sed 's/^0/2/' guess >other
sed 's/1,3/3,1/' guess >bad
k3-trace stat --guess guess routes | grep guess
k3-trace stat --guess guess --layers routes
for f in shape other bad missing; do
	k3-trace stat --guess $f routes
	echo $?
done
k3-trace stat --guess guess routes routes
