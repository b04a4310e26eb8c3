echo 3 4 5 | k3-verify same -q --quick -n 3 -m "$K3_TOYS/thirteen"
echo 3 4 5 | k3-verify same -q --quick -n 3 -m "$K3_TOYS/thirteen" --json
