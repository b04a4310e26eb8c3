# Without a terminal a line comes when it is asked for.
yes 1 2 3 | k3-decode -m "$K3_TOYS/tiny" --io pread --trunk-ram 1G --cache-ram 1G \
    -n 60 --stop none >out 2>err &
while [ ! -s out ]; do sleep 0.1; done
while [ ! -s err ] && kill -USR1 $!; do sleep 0.1; done
kill $!
wait $! 2>/dev/null
echo $?
sed 's/[0-9][-+.e0-9]*/N/g; s/.*\(: N of N tokens\).*/\1/' err | sort -u
