# What is refused: options, items of lists, sizes without the bytes of an expert.
routes=$K3_VECTORS/wide/routes
k3-trace cache --nothing
echo $?
k3-trace cache --slots 5 --size 1M "$routes"
echo $?
k3-trace cache --model . --expert-bytes 5 "$routes"
echo $?
k3-trace cache --slots 5,x "$routes"
echo $?
k3-trace cache --slots 5,,6 "$routes"
echo $?
k3-trace cache --size 1M,-2 "$routes"
echo $?
k3-trace cache --policy lru,fifo "$routes"
echo $?
k3-trace cache --kind both "$routes"
echo $?
k3-trace cache --disk fast "$routes"
echo $?
k3-trace cache --expert-bytes 0 "$routes"
echo $?
k3-trace cache --size 1M "$routes"
echo $?
k3-trace cache --disk 1 "$routes"
