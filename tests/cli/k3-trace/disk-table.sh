# The rows of a folder without a model; its probe leaves nothing behind.
k3-trace disk -q --size 36M --seconds 0.02 --depth 3,1 . | cut -f 1-3
ls -A
# Counts and rates are positive numbers, rates whole ones.
k3-trace disk -q --size 36M --seconds 0.02 --depth 8 >table
awk -F '\t' 'NR > 1 && (NF != 8 || $4 <= 0 || $5 != $4 * $2 && $1 != "mixed" ||
	$6 <= 0 || $7 !~ /^[1-9][0-9]*$/ || $8 <= 0)' table
