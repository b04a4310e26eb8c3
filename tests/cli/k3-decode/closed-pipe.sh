# A reader that goes away ends the run in silence ...
{ echo 1 2 3 | k3-decode -q -m "$K3_TOYS/thirteen" -n 3000 \
    --stop none; echo $? >status; } | head -c 1 >/dev/null
cat status
# ... and files are finished.
{ echo 1 2 3 | k3-decode -q -m "$K3_TOYS/thirteen" -n 3000 \
    --stop none --logits l --route r; echo $? >status; } | head -c 1 >/dev/null
cat status
ls
test $(($(wc -c <l) % 4)) = 0
