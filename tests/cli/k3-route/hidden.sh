# The routes of the run that dumped them, weights too, in any memory.
echo 1 2 3 4 5 6 7 8 9 >ids
for toy in tiny big odd wide mixed; do
	rm -rf h
	k3-decode -q -m "$K3_TOYS/$toy" -n 0 --hidden h --route r ids >out
	k3-route -q -m "$K3_TOYS/$toy" --hidden h | cmp - r
done
# Of chunks the passes are not known: all rows are pass 0, layer by layer.
seq -s ' ' 1 299 >ids
k3-decode -q -m "$K3_TOYS/thirteen" -n 0 --chunk 150 --hidden h --route r ids >out
tab=$(printf '\t')
{ head -n 1 r; tail -n +2 r | sed 's/^[01]/0/' | sort -s -n -t "$tab" -k 5,5; } >want
k3-route -q -m "$K3_TOYS/thirteen" --hidden h -j 2 --cpu scalar | cmp - want
