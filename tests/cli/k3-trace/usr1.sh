# A line of progress comes when it is asked for; of a pipe no end is known.
routes=$K3_VECTORS/routes/demo.route
mkfifo fifo
for verb in 'stat -q' cache; do
	k3-trace $verb fifo >out 2>err &
	exec 5>fifo
	kill -USR1 $!
	cat "$routes" >&5
	exec 5>&-
	wait $!
	echo $?
	k3-trace $verb "$routes" | cmp - out
	sed 's/[0-9][.0-9]*/N/g' err
done
