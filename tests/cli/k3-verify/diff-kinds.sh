# Both are of one kind, and there.
mkdir empty
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --logits logits -R report --hidden h >ids
k3-verify diff h report
echo $?
k3-verify diff h/001.k3l logits
echo $?
k3-verify diff ids ids
echo $?
k3-verify diff h - <report
echo $?
k3-verify diff report none
echo $?
k3-verify diff empty h
echo $?
k3-verify diff report - <ids
echo $?
k3-verify diff h/001.k3l - <report
echo $?
k3-verify diff h/001.k3l /dev/zero
