k3-route a b
