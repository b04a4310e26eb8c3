# No session, one of another model, and one that was cut.
echo 1 2 3 >s
k3-decode -q -m "$K3_TOYS/tiny" --load s </dev/null
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/odd" -n 1 --save s >/dev/null
k3-decode -q -m "$K3_TOYS/tiny" --load s </dev/null
head -c 9999 s >t
k3-decode -q -m "$K3_TOYS/odd" --load t </dev/null
