k3-trace disk --size 1000000T . 2>&1 | sed 's/of [0-9]* bytes/of N bytes/'
k3-trace disk --size 1000000T . 2>/dev/null
echo $?
ls -A
