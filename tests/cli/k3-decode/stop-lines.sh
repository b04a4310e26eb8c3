# A second line is not dropped in silence.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" --stop '5
7'
