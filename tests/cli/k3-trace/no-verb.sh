# A verb is needed, and must be one.
k3-trace
echo $?
k3-trace --nothing
echo $?
k3-trace nothing
