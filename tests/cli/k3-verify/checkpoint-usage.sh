k3-verify checkpoint -h
k3-verify checkpoint --wrong
echo $?
k3-verify checkpoint one two
echo $?
k3-verify checkpoint -m one two
echo $?
k3-verify checkpoint --done done "$K3_TOYS/tiny"
echo $?
k3-verify checkpoint --done done --make-digests -o digests "$K3_TOYS/tiny"
