ln -s "${0%/*}/../../golden/good/tok-mini" m
# What is known is put out while the input stays open.
mkfifo in
check() {
	rm -f out
	k3-tok -m m "$1" <in >out &
	exec 3>in
	printf '%b' "$2" >&3
	i=0
	while [ ! -s out ] && [ $i -lt 100 ]; do
		sleep 0.1
		i=$((i + 1))
	done
	cat out
	echo "|"
	exec 3>&-
	wait
}
check -L "the\nmore"
check -d "269 "
