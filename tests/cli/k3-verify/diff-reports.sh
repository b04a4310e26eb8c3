# Receipts: the same run on two machines, cut otherwise, shorter, another.
run() {
	r=$1
	shift
	k3-decode -q -R $r --cpu scalar --io pread "$@" >$r.ids
}
seq -s ' ' 1 20 >p
printf '1 2 3\n4 5\n' >q
M=$K3_TOYS/thirteen
run one -m $M -j 1 -n 6 --stop none p
run two -m $M -j 2 -n 6 --stop none --chunk 7 p
run short -m $M -j 1 -qn4 --stop none --chunk 7 p
run stops -m $M -j 1 --count=6 --stop 1 p
run lines -m $M -j 1 -n 6 --stop none q
run other -m "$K3_TOYS/odd" -j 1 q
sed 's/^\({"pass":4.*"logits":"\)..../\1beef/' one >digest
sed 's/^\({"pass":4.*"next":\)[0-9]*/\17/' one >next
sed 's/^\({"pass":0.*"ids":\[1,2\),3/\1,7/' one >prompt
sed 's/,"next.*"}/}/' one >nothing
sed 's/^{"pass":2\(.*\)"position":21/{"pass":2\1"position":20/' one >twice
compare() {
	k3-verify diff "$@" >said
	status=$?
	sed 's/\(version[": ]*\)[0-9.]*/\1V/g' said
	return $status
}
compare one two
for f in short stops lines digest next prompt nothing other; do
	compare one $f
	echo $?
done
compare --json two - <short
compare --json two next
compare --json one other
compare two - <one
compare one twice
echo $?
head -c 3000 one | k3-verify diff one -
