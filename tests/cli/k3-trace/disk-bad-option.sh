k3-trace disk --nothing
