# Refused with both numbers, before anything is loaded.
echo 1 | k3-decode -q -m "$K3_TOYS/big" -r 1M 2>err
status=$?
sed 's/[0-9][0-9]*/N/g' err
exit $status
