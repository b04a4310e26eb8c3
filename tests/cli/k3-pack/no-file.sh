k3-pack --list no-such-file
