# Files follow each other, if they are of one shape.
cat >a <<'END'
#k3-route 1 layers=2 experts=4 topk=1
0	d	0	0	1	3	-
END
sed 's/experts=4/experts=5/' a >b
k3-trace stat a - a <a | sed -n '2,6p'
k3-trace stat a b
echo $?
printf '#k3-route 1 layers=2 experts=4 topk=1\n' >none
printf '9007199254740991\td\t0\t0\t1\t3\t-\n' | cat none - >late
k3-trace stat late a
