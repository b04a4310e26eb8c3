k3-decode --nonsense
