k3-verify diff -h
k3-verify diff --wrong
echo $?
k3-verify diff one
echo $?
k3-verify diff -m m --width 3 one two
echo $?
k3-verify diff --width 0 one two
echo $?
k3-verify diff --ulp -1 one two
echo $?
for x in -1 nan '' 1e400 1x 0x10; do
	k3-verify diff --abs "$x" one two
done
k3-verify diff --rel . one two
echo $?
k3-verify diff - /dev/stdin </dev/null
