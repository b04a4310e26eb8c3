# Somebody's file of that name is left alone.
echo mine >k3-probe
k3-trace disk --size 36M .
echo $?
k3-trace disk --size 36M --keep .
echo $?
cat k3-probe
rm k3-probe
mkfifo k3-probe
k3-trace disk --size 36M .
