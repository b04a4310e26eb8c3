# A signal before the first prompt: there are no files to finish yet.
mkfifo in
for option in --logits --route --hidden --report; do
	k3-decode -q -m "$K3_TOYS/tiny" $option f in &
	exec 3>in
	sleep 0.3
	kill -TERM $!
	wait $! 2>/dev/null
	echo $?
	exec 3>&-
done
ls
