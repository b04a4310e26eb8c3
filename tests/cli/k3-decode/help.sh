k3-decode -h
