gates="k3-verify gates -q --quick -m $K3_TOYS/thirteen"
echo 3 4 5 6 7 >ids
k3-decode -q -m "$K3_TOYS/thirteen" -n 5 --stop none -R report ids >out
cat out
$gates --expect report
echo $?
# Fewer than are there; and by the IDs alone.
$gates --expect report -n 3 | grep reference
$gates --expect out --prompt ids | grep reference
# One digit of the third step's logits.
awk '{ while (i = match($0, /"logits":"[0-9a-f]/)) {
	d = substr($0, i + 10, 1)
	if (++n == 3) d = d == "0" ? "1" : "0"
	printf "%s", substr($0, 1, i + 9) d; $0 = substr($0, i + 11)
} print }' RS='\n' report >other
$gates --expect other | grep reference
sed 's/"fingerprint":"[0-9a-f]*"/"fingerprint":"00112233445566778899aabbccddeeff"/' \
    report >other
$gates --expect other | grep reference
sed 's/^[0-9]* /1 /' out >other
$gates --expect other --prompt ids | grep reference
$gates --expect other --prompt ids >/dev/null
