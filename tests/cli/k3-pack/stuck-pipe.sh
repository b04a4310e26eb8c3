# A pipe that nobody reads does not keep it from dying.
mkfifo p
k3-pack --layer head -o - -m "$K3_TOYS/wide" >p & pid=$!
exec 3<p
dd bs=1 count=1 <&3 2>/dev/null | wc -c
kill -TERM $pid
wait $pid 2>/dev/null
echo $?
