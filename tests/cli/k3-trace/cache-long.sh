# More demands than fit in memory wait on the disk, where belady needs them.
awk 'BEGIN {
	print "#k3-route 1 layers=2 experts=9 topk=1"
	for (i = 0; i < 140000; i++)
		printf "%d\td\t0\t%d\t1\t%d\t-\n", i, i, i % 9
}' >long
k3-trace cache --slots 4 long
TMPDIR=nowhere k3-trace cache --policy belady --slots 4 long
echo $?
ulimit -f 200
TMPDIR=. k3-trace cache --policy belady --slots 4 long
