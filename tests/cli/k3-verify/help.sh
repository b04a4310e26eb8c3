k3-verify -h
