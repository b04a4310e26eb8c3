# Made once, compared, and used by k3-decode.
cp -r "$K3_TOYS/mixed" m && chmod -R u+w m
echo 1 2 3 | k3-decode -q -m m -n 5 >want
k3-verify checkpoint --make-digests m || exit
head -n 2 m/k3-digests
grep -c . m/k3-digests
ls -A m | grep digests
k3-verify checkpoint m || exit
k3-verify checkpoint --digests m || exit
k3-verify checkpoint --make-digests -o other m || exit
cmp other m/k3-digests && k3-verify checkpoint --digests=other m || exit
echo 1 2 3 | k3-decode -q -m m -n 5 | cmp - want
