# A FIFO would wait for ever, and /dev/zero has no end: neither is read.
for what in fifo zero hole; do
	for name in config.json tiktoken.model tokenizer_config.json; do
		cp -r "${0%/*}/../../golden/good/tok-mini" m
		chmod -R u+w m
		rm -f "m/$name"
		case $what in
		fifo) mkfifo "m/$name" ;;
		zero) ln -s /dev/zero "m/$name" ;;
		hole) truncate -s 1T "m/$name" ;;
		esac
		timeout 30 k3-tok -m m </dev/null
		echo $?
		rm -r m
	done
done
