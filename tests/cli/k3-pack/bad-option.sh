k3-pack --nonsense || echo $?
k3-pack operand || echo $?
k3-pack --plan --remove || echo $?
k3-pack -o - || echo $?
k3-pack --plan --layer 1 -o - || echo $?
k3-pack --list f -m m
