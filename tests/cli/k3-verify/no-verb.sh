k3-verify wrong
echo $?
k3-verify
