k3-decode -m "$K3_TOYS/tiny" --cpu z80 </dev/null
