# Stops between half-layers, finishes its files, dies by the signal.
{ echo 1 2 3; sleep 5; } | k3-decode -q -m "$K3_TOYS/tiny" -n 2 --stop none \
    --route r >out &
while [ ! -s out ]; do sleep 0.1; done
kill -TERM $!
wait $! 2>/dev/null
echo $?
wc -w <out
head -1 r
ls
