k3-trace disk --depth 0 .
echo $?
k3-trace disk --depth 1,,2 .
k3-trace disk --depth 129 .
k3-trace disk --depth 1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 .
k3-trace disk --seconds 0 .
k3-trace disk --seconds 1e3 .
k3-trace disk --seconds '' .
k3-trace disk --size 36Q .
k3-trace disk -q --size 35M --seconds 0.01 --depth 8 . | wc -l
k3-trace disk --size 33M .
echo $?
k3-trace disk --io uring .
echo $?
ls -A
