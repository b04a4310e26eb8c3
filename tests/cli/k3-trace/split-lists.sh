# A list of budgets is read before anything is printed; a report's own rates and
# given ones are not mixed; names that are not UTF-8 and sums beyond 64 bits are
# no burden to JSON.
for list in 1G,foo 8G, ,8G; do
	k3-trace split -q -m "$K3_TOYS/tiny" -r "$list"
	echo $?
done
echo 1 2 3 4 5 | k3-decode -q -m "$K3_TOYS/tiny" --chunk 3 -n 3 -R r.json >ids
k3-trace split -q --memory 20 r.json
echo $?
bad=$(printf 'r\377')
sed 's/"trunk_bytes":[0-9]*,"expert_bytes":[0-9]*/"trunk_bytes":4611686018427387904,"expert_bytes":4611686018427387904/' \
	r.json >"$bad"
k3-trace split -q --json --disk 1 --memory 20 --compute 100 "$bad" |
	grep -o '"report": "r?"\|"measured_bytes": .*' | sort -u
