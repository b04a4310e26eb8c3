# A cap that the base fits and other ways do not: these are not run, and told.
seq 60 | tr '\n' ' ' >prompt
same="k3-verify same -q -j 1 --io pread -m $K3_TOYS/tiny"
show() {
	grep -v -e '^cpu' -e '^io' -e '^all'
}
for cap in 6775000 7200000; do
	$same -r $cap prompt >out
	echo $?
	show <out
	$same -r $cap --plan prompt | cut -f 1-2 | show
done
$same -r 6775000 --json prompt | grep -A 4 '"threads"'
k3-verify gates -q -j 1 --io pread -m "$K3_TOYS/tiny" -n 2 -r 6800000 \
    --prompt prompt >out
echo $?
show <out
