# A list as sha256sum writes it, from a file and a pipe; and a download's.
cp -r "$K3_TOYS/odd" m && chmod -R u+w m
(cd m && sha256sum *) >list
k3-verify checkpoint --sha256=list -j 3 m || exit
k3-verify checkpoint --sha256=- m <list || exit
(
	echo '#k3-files 1 repository=x revision=y'
	cd m && for file in *; do
		printf '%s\t%s\t%s\n' "$(sha256sum <"$file" | cut -c 1-64)" \
			"$(wc -c <"$file")" "$file"
	done | sed 's/^[^	]*\(.*config.json\)$/0123456789012345678901234567890123456789\1/'
) >files
mv files m/k3-files
k3-verify checkpoint m || exit
k3-verify checkpoint --sha256 m
