k3-verify trunk -h
k3-verify trunk --wrong
echo $?
k3-verify trunk one two
echo $?
k3-verify trunk -m nowhere
echo $?
k3-verify trunk -m "$K3_TOYS/tiny" nowhere
echo $?
k3-pack -q -m "$K3_TOYS/tiny" -o t
k3-verify trunk -m "$K3_TOYS/tiny" t >/dev/full
