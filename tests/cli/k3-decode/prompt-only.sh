# With -n 0 the prompts are still run for what is to be written of them.
printf '1 2\n3\n' | k3-decode -q -m "$K3_TOYS/tiny" -n 0 --route r --hidden h
cut -f 1-5 r
ls h
