k3-route -h
