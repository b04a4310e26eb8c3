# The routes of a prompt are out before the next one comes.
: >out
{ echo 1 2 3; while [ ! -e next ]; do sleep 0.1; done; echo 4; } |
    k3-route -q -m "$K3_TOYS/tiny" >out &
while [ "$(wc -l <out)" -lt 7 ]; do sleep 0.1; done
>next
wait
wc -l <out
