k3-verify gates -h
k3-verify gates --wrong
echo $?
k3-verify gates operand
echo $?
k3-verify gates --disk 3 -m "$K3_TOYS/tiny"
echo $?
k3-verify gates -q --prompt nowhere -m "$K3_TOYS/tiny"
echo $?
k3-verify gates -q -m nowhere
echo $?
k3-verify gates -q --quick -n 1 -m "$K3_TOYS/tiny" >/dev/full
