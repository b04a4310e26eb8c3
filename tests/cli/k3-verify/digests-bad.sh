# Of another model, cut, with a line twice, none at all: said by both tools.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
k3-verify checkpoint --digests m
echo $?
k3-verify checkpoint -q --make-digests m
mv m/k3-digests good
both() {
	k3-verify checkpoint --digests m | sed 1d
	echo 1 2 3 | k3-decode -q -m m
	echo $?
}
k3-verify checkpoint -q --make-digests -o m/k3-digests "$K3_TOYS/odd"
both
sed '$d' good >m/k3-digests
both
sed '5p' good >m/k3-digests
both
sed '7s/./x/' good >m/k3-digests
both
rm m/k3-digests && mkdir m/k3-digests
both
