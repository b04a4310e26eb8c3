# All figures, for machines; null is what there is not.
printf '#k3-route 1 layers=2 experts=4 topk=2\n0\td\t0\t0\t1\t0,2\t-\n' |
	k3-trace stat --json --layers --top 1
