# A run in two parts is the run in one part; a session is private.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 9 --stop none >want
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none --save s
ls -l s | cut -c 1-10
k3-decode -q -m "$K3_TOYS/tiny" -n 5 --stop none --load s </dev/null
cat want
# Nothing was left to be done, and with -e the line is shown as a whole.
k3-decode -q -m "$K3_TOYS/tiny" --load s </dev/null
k3-decode -q -m "$K3_TOYS/tiny" --load s -e </dev/null
