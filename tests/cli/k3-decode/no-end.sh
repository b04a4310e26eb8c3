# A file without an end, where one is read whole: refused.
k3-decode -m "$K3_TOYS/tiny" --plan --disk /dev/zero
