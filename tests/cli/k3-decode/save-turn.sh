# The IDs of a line follow what the session has consumed and generated.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none --save s
echo 7 8 9 | k3-decode -q -m "$K3_TOYS/tiny" -n 3 --stop none --load s -e
