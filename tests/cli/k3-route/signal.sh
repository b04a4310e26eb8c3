# Stops between half-layers, with whole lines, and dies by the signal.
{ echo 1 2 3; sleep 5; } | k3-route -q -m "$K3_TOYS/tiny" >out &
while [ ! -s out ]; do sleep 0.1; done
kill -TERM $!
wait $! 2>/dev/null
echo $?
cut -f 1-5 out
