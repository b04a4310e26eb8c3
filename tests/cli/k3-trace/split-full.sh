# A full disk is an error.
k3-trace split -q -m "$K3_TOYS/tiny" --disk 1 --memory 1 --compute 1 \
	-r 1G >/dev/full
echo $?
k3-trace split --json "$K3_VECTORS/../fuzz/corpus/run/good" >/dev/full
