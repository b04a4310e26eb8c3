k3-trace disk nowhere
