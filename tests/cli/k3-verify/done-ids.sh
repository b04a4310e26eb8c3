# Numbers may be the beginnings of lines, but not all of them.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
(cd m && sha256sum *.safetensors) >list
done_is() {
	printf "$@" >file
	cp file was
	k3-verify checkpoint -q --sha256=list --done file m >out
	echo "$? $(tail -n 1 out)"
	cmp -s file was && echo as it was
}
done_is '5\n6\n7\n'
done_is '5\n'
done_is '5'
k3-verify checkpoint -q --sha256=list --done file m | tail -n 1
done_is '\n'
# Nothing was right after a line that is torn: it is still torn.
printf 5 >file
sed 's/^./x/; y/x/0/' list >none
k3-verify checkpoint -q --sha256=none --done file m | tail -n 1 | cut -c 1-40
k3-verify checkpoint -q --sha256=list --done file m | tail -n 1
wc -l <file
