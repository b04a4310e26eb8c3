gates="k3-verify gates -q --quick -m $K3_TOYS/thirteen"
echo 3 4 5 >ids
echo 3 4 6 >others
k3-decode -q -m "$K3_TOYS/thirteen" -n 2 --stop none -R report ids >out
k3-decode -q -m "$K3_TOYS/thirteen" -n 0 -R none ids >out
$gates --expect report --prompt others
echo $?
$gates --expect none
echo $?
$gates --expect nowhere
echo $?
head -c 100 report >part
$gates --expect part
echo $?
echo hello >text
$gates --expect text
echo $?
$gates --expect /dev/null
echo $?
# What would be left out.
cat ids others >two
$gates --expect two
echo $?
(cat ids && echo hello) >ends
$gates --expect ends
echo $?
# What went before is not in the report.
k3-decode -q -m "$K3_TOYS/thirteen" -n 2 --stop none --save session ids >out
echo 7 | k3-decode -q -m "$K3_TOYS/thirteen" -n 2 --stop none --load session \
    -R report >out
$gates --expect report
echo $?
# A prompt that this model cannot be fed.
k3-decode -q -m "$K3_TOYS/thirteen" -n 2 --stop none -R report ids >out
sed 's/"ids":\[3,4,5\]/"ids":[3,1500,5]/' report >large
cmp -s report large && echo 'no such IDs'
$gates --expect large
