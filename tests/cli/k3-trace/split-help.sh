k3-trace split -h
