# One layer file a layer, of the first prompt only.
printf '1 2 3\n4\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 2 --hidden h >out
ls h
k3-pack --list h/001.k3l | grep -E '^[xp] |rows' | tr -s ' '
