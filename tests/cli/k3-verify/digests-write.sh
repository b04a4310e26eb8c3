# Where they cannot be written.
k3-verify checkpoint -q --make-digests -o nowhere/x "$K3_TOYS/tiny"
echo $?
(ulimit -f 1 && k3-verify checkpoint -q --make-digests -o x "$K3_TOYS/odd")
echo $?
ls -A
k3-verify checkpoint -o x "$K3_TOYS/tiny"
