# A probe that is kept is read again, and goes when it is not to be kept.
probe() {
	k3-trace disk -q --seconds 0.01 --depth 8 "$@" . >table || echo "status $?"
	ls -A
}
probe --keep --size 36M
head -n 1 k3-probe
sha256sum <k3-probe
ln k3-probe first
probe --keep
[ k3-probe -ef first ] && echo the same
# Asked for more, or cut off: a new one.
probe --keep --size 37M
[ k3-probe -ef first ] || echo another
truncate -s 36M k3-probe
probe --keep --size 36M
cmp k3-probe first && echo as the first
probe
