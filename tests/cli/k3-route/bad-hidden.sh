# Each is refused by name, before a line of its layer.
try() {
	k3-route -q -m "$@"
	echo $?
}
tiny=$K3_TOYS/tiny
echo 1 2 3 | k3-decode -q -m "$tiny" -n 0 --hidden h >out
try "$K3_TOYS/mixed" --hidden h
try "$tiny" --hidden none
k3-pack -q -m "$tiny" -o trunk >list
try "$tiny" --hidden trunk
mv h/001.k3l 1
mv h/002.k3l h/001.k3l
try "$tiny" --hidden h
mv h/001.k3l h/002.k3l
try "$tiny" --hidden h
head -c 4300 1 >h/001.k3l
try "$tiny" --hidden h
printf . | dd of=1 bs=1 seek=4200 conv=notrunc 2>dd
mv 1 h/001.k3l
try "$tiny" --hidden h
# The last layer's file is not routed for guesses, but it must be there.
k3-decode -q -m "$tiny" -n 0 --hidden g out >ids
rm g/002.k3l
try "$tiny" --hidden g --lookahead 1
