# An empty line at the end is not the sequence that is kept; nothing is one too.
printf '1 2 3\n4 5 6\n\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none --save s
printf '\n\n7 8\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 2 --stop none --load s
k3-decode -q -m "$K3_TOYS/tiny" --save none </dev/null
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none --load none
k3-decode -q -m "$K3_TOYS/tiny" --load none </dev/null
