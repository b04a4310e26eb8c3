# SIGTERM while a file is written: nothing unfinished stays.
ln -s "$K3_TOYS/big" m
k3-pack -m m -o trunk & pid=$!
n=0
until ls trunk/.*.tmp >/dev/null 2>&1 || [ $n = 2000 ]; do n=$((n + 1)); done
kill -TERM $pid
wait $pid 2>/dev/null
case $? in 0 | 143) ;; *) echo "status $?" ;; esac
for f in trunk/.*.tmp; do [ ! -e "$f" ] || echo "$f"; done
k3-pack -m m -o trunk && k3-pack --plan -m m -o trunk | grep -c ready
