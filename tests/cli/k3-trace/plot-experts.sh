# A cell for each expert of the layers that have some.
cat >r <<'T'
#k3-route 1 layers=5 experts=3 topk=2
0	p	0	0	1	0,1	-
0	p	0	1	1	0,2	-
0	p	0	0	3	1,2	-
T
k3-trace plot experts --script --title 'Two tokens' r | sed '/^set style/d'
# More than one file is one trace, and none is standard input.
k3-trace plot experts --script r r | grep -A4 '^\$use'
k3-trace plot experts --script <r | grep -c '^plot'
echo '#k3-route 1 layers=5 experts=3 topk=2' | k3-trace plot experts --script
echo '#k3-route 1 layers=4000 experts=60000 topk=2' |
    k3-trace plot experts --script
