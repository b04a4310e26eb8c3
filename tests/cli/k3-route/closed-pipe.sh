# A reader that goes away ends the run in silence.
{ seq -s " " 1 299 | k3-route -q -m "$K3_TOYS/thirteen"
    echo $? >status; } | head -n 1
cat status
