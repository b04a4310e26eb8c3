# Generation ends where the context does; a prompt that does not fit is refused.
printf '1 2 3\n' | k3-decode -m "$K3_TOYS/tiny" -n 9 --stop none --context 4 --io pread | wc -w
printf '1 2 3\n1 2 3 4 5\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --context 4 >out
