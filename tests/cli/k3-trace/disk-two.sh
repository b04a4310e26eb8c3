k3-trace disk one two
