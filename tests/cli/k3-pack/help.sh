k3-pack -h
