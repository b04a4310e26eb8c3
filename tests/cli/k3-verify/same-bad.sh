same="k3-verify same -q -m $K3_TOYS/tiny"
$same </dev/null
echo $?
printf '\n' | $same
echo $?
printf '1 2\n3\n' | $same
echo $?
echo 1 999999 | $same
echo $?
$same nowhere
echo $?
echo 1 | $same -r 1M
echo $?
echo 1 | k3-verify same -q -m nowhere
echo $?
# An engine that reads what is damaged gives no answer to be compared.
cp -rL "$K3_TOYS/tiny" model
k3-verify checkpoint -q --make-digests model >made || cat made
sed -i '/lm_head/s/[0-9a-f]\{16\}/0000000000000000/' model/k3-digests
echo 1 | k3-verify same -q --quick -m model
