# No time at all: the base, and nothing to compare with it.
echo 3 4 5 >ids
k3-verify same -q -j 2 --budget 0.001 -m "$K3_TOYS/thirteen" ids |
    grep -v -e '^cpu' -e '^io'
