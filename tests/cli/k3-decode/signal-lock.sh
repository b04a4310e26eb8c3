# A signal ends the wait for another one that takes its memory.
mkfifo in
flock -o /dev/shm cat in &
exec 3>in
while flock -n /dev/shm true; do sleep 0.1; done
echo 1 2 3 | k3-decode -m "$K3_TOYS/tiny" -n 2 2>err &
while [ ! -s err ]; do sleep 0.1; done
kill -TERM $!
wait $! 2>/dev/null
echo $?
exec 3>&-
wait
cat err
