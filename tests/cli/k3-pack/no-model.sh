k3-pack -m no-such-folder
