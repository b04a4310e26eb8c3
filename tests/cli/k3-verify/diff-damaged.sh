# Nothing is said of what is damaged, and the rest is compared.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --hidden one >out
flip() {
	printf '\125' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
for at in 4200 8190 0 12 40 300; do
	rm -rf two
	cp -r one two
	flip two/001.k3l $at
	k3-verify diff one two | tail -n 1
	k3-verify diff two one 2>&1 | tail -n 1
done
k3-verify diff one/001.k3l two/001.k3l
echo $?
cp one/001.k3l cut
truncate -s -1 cut
k3-verify diff one/001.k3l - <cut
echo $?
rm -rf two
cp -r one two
rm two/001.k3l
mkfifo two/001.k3l
rm two/002.k3l
ln -s /dev/zero two/002.k3l
k3-verify diff two one
echo $?
k3-verify diff one two
