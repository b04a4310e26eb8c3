# Told before anything is computed.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" --save none/s
echo $?
mkdir folder
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" --save folder
