# A report of a run has all that it takes.
echo 3 4 5 6 7 8 9 10 | k3-decode -m "$K3_TOYS/thirteen" -r 20M --chunk 5 -n 4 \
	--stop none -R run.json >/dev/null 2>&1
k3-trace split run.json | cut -f 1-3
