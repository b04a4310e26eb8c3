echo hello >f
k3-pack --list f || echo $?
k3-pack --list . || echo $?
k3-pack --list - </dev/null
