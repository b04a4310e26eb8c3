# A probe that may not grow is a write error, and leaves nothing.
ulimit -f 20
k3-trace disk --size 36M .
echo $?
k3-trace disk --size 36M --keep .
echo $?
ls -A
