k3-trace disk -h
