# One line out for each line in, empty ones too; a sequence does not depend on
# those before it; the last line needs no newline.
printf '1 2 3\n\n7\n1 2 3' | k3-decode -q -m "$K3_TOYS/tiny" -n 4 --stop none >out
wc -l <out
sed -n 2p out
sed -n 1p out >a && sed -n 4p out >d && cmp a d
