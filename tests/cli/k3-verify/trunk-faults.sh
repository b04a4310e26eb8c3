# Missing, foreign, cut, damaged at each kind of place; all are told.
k3-pack -q -m "$K3_TOYS/odd" -o t
k3-pack -q -m "$K3_TOYS/thirteen" -o other
check() {
	k3-verify trunk "$@" -m "$K3_TOYS/odd" t | sed 's/[0-9a-f]\{16,32\}/HEX/g'
}
flip() {
	printf '\377' | dd of="t/$1" bs=1 seek="$2" conv=notrunc status=none
}
rm t/000.k3l
cp other/001.k3l t/001.k3l
truncate -s -1 t/002.k3l
flip 003.k3l 0
size=$(wc -c <t/004.k3l)
flip 004.k3l $((size - 9))
flip 005.k3l 20000
flip 005.k3l 40000
# Between two vectors, which are aligned.
at=$(k3-pack --list t/006.k3l | awk '/^payload/ { print $NF }')
flip 006.k3l $((at + 170))
check
check --quick
