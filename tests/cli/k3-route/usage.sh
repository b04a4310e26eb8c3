k3-route --nonsense
