# A plan with a prompt has the context that the prompt would get.
k3-decode -m "$K3_TOYS/thirteen" --plan=9000 -n 36 | grep -o 'context [0-9]*'
k3-decode -m "$K3_TOYS/tiny" --plan=9000 | grep -o 'context [0-9]*'
