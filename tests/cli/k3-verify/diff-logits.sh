# Numbers at the edges: neighbours, denormals, signs, infinities, NaNs.
pack() {
	python3 -c 'import struct, sys
for x in sys.argv[1:]:
	b = int(x, 16) if x[:2] == "0x" else struct.unpack("<I", struct.pack("<f", float(x)))[0]
	sys.stdout.buffer.write(struct.pack("<I", b))' "$@"
}
pair() {
	echo "$1 $2"
	pack 7 "$1" >a
	pack 7 "$2" >b
	k3-verify diff a b | sed -n '1p; 3p; $p'
	k3-verify diff --json b a
}
pair 1 0x3f800001
pair 0 0x00000001
pair 0x80000001 0x00000001
pair 0x00800000 0x007fffff
pair 1 -1
pair 0 -0
pair 0x7f7fffff inf
pair inf -inf
pair nan 1
pair 0x7fc00000 0xffc00001
pair inf inf
pack 1 2 3 4 5 6 >a
pack 1 2 3 4 0 6 >b
k3-verify diff a b
k3-verify diff --width 2 a b
k3-verify diff --width 2 a - <b
k3-verify diff --width 2 - a <b
k3-verify diff --abs 5 a b
k3-verify diff --rel 1 a b | tail -n 1
k3-verify diff --rel .999 --abs 4.9 a b | tail -n 1
pack 1 2 3 4 >c
k3-verify diff a c
k3-verify diff --width 2 c a
k3-verify diff --width 2 c /dev/zero
k3-verify diff --width 3 a a
k3-verify diff --width 4 a a
echo $?
printf x >>c
k3-verify diff a c
echo $?
: >none
k3-verify diff none none
k3-verify diff none a
