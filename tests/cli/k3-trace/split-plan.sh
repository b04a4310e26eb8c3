# k3-decode plans the division that was found, at the same cost; and the search
# finds none that is worse than the plan's own.
k3='-q -m '"$K3_VECTORS/../../examples/kimi-k3"' -j 2 -n 64 --disk 3 --memory 20 --compute 500 --json'
field() {
	sed -n "/\"$1\"/{s/.*: *//;s/,$//;p;q}"
}
best() {
	awk '$NF == 1 { print $'"$1"' }' split
}
for ram in 8G 40G 128G; do
	k3-trace split -q -m "$K3_VECTORS/../../examples/kimi-k3" -j 2 -n 64 --disk 3 --memory 20 \
		--compute 500 --prompt 1000 -r $ram >split
	eval "k3-decode $k3 -r $ram --plan=1000 --trunk-ram $(best 2) \
		--cache-ram $(best 3) --chunk $(best 5)" >same
	eval "k3-decode $k3 -r $ram --plan=1000" >own
	for f in same own; do
		echo "$(field token_seconds <$f) $(field prompt_seconds <$f)"
	done | awk -v token="$(best 10)" -v prompt="$(best 11)" '
	NR == 1 { ok = $1 < token * 1.002 && $2 < prompt * 1.002 }
	NR == 2 { ok = ok && prompt + 64 * token <= 1.00001 * ($2 + 64 * $1) }
	END { print ok ? "as planned" : "not as planned" }'
done
