# A context that the session fills is told; one that it does not fit, refused.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none --save s
k3-decode -m "$K3_TOYS/tiny" -n 9 --stop none --context 6 --io pread --load s </dev/null
echo 1 | k3-decode -q -m "$K3_TOYS/tiny" -n 9 --stop none --context 7 --load s
k3-decode -q -m "$K3_TOYS/tiny" -n 9 --stop none --context 5 --load s </dev/null
