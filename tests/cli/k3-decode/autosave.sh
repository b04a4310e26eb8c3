# It is of use with --save only, and a number of minutes.
k3-decode -q -m "$K3_TOYS/tiny" --autosave 5 2>&1 | head -1
k3-decode -q -m "$K3_TOYS/tiny" --save s --autosave often
