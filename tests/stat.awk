# stat.awk - the figures of k3-trace stat, slowly, as its manual defines them
#
#	awk -f tests/stat.awk [-v guess=FILE] [-v layers=1] file ...
#
# Everything is kept, and distances are counted by walking back through it.

function share(a, b) { return b > 0 ? sprintf("%.6g", a / b) : "-" }

function log2(x) { return log(x) / log(2) }

function row(name, prefill, decode) { print name "\t" prefill "\t" decode }

# The picks of a kind in layers first to last, falling, in hot[1..]; their number.
function sort_picks(k, first, last,   l, e, n, i, v) {
	for (l = first; l <= last; l++)
		for (e = 0; e < E; e++)
			if ((k, l, e) in picks) {
				v = picks[k, l, e]
				for (i = ++n; i > 1 && hot[i - 1] < v; i--)
					hot[i] = hot[i - 1]
				hot[i] = v
			}
	return n
}

function ceil(x) { return x > int(x) ? int(x) + 1 : int(x) }

# All figures of uses, into f[name].
function uses(k, first, last,   l, e, n, p, h, sum, i, c, part) {
	split("", f)
	for (l = first; l <= last; l++) {
		if (!((k, l) in lines))
			continue
		f["layers"]++
		f["lines"] += lines[k, l]
		f["demands"] += demands[k, l]
		f["pairs"] += pairs[k, l]
		f["again"] += again[k, l]
		f["guesses"] += guesses[k, l]
		f["right"] += right[k, l]
		for (e = 0; e < E; e++)
			if ((k, l, e) in picks) {
				p = picks[k, l, e] / (lines[k, l] * K)
				h -= p * log2(p)
			}
	}
	f["used"] = n = sort_picks(k, first, last)
	f["entropy"] = share(h, f["layers"])
	f["entropy_share"] = share(h, f["layers"] * log2(E))
	f["used_share"] = share(n, f["layers"] * E)
	for (part = 16; part >= 2; part = part == 16 ? 4 : part - 2) {
		c = sum = 0
		for (i = 1; i <= n && i <= ceil(f["layers"] * E / part); i++)
			sum += hot[i]
		f["cover", part] = share(sum, f["lines"] * K)
	}
}

function end_pass(   l) {
	for (l in visit)
		most = visit[l] > most ? visit[l] : most
	if (pass != "")
		tokens[kind] += most
	split("", visit)
	most = 0
}

function add_distance(d) {
	reuses[kind]++
	distances[kind, d]++
	largest = d > largest ? d : largest
}

function end_visit(   e, i, d) {
	for (e = 0; e < E; e++) {
		if (!(e in want))
			continue
		demands[kind, layer]++
		d = -1
		split("", other)
		for (i = n; i > 0 && d < 0; i--) {
			if (demand[i] == layer "," e)
				d = length(other)
			other[demand[i]]
		}
		if (d < 0)
			first[kind]++
		else
			add_distance(d)
		demand[++n] = layer "," e
	}
	split("", want)
}

# The least that q quarters do not exceed.
function quartile(k, q,   d, below) {
	for (d = 0; reuses[k] > 0; d++)
		if ((below += bin(k, d, d)) >= reuses[k] * q / 4)
			return d
	return "-"
}

function bin(k, low, high,   i, c) {
	c = 0
	for (i = low; i <= high; i++)
		c += distances[k, i]
	return c
}

function print_all(   k, low, m, i, a) {
	for (i = 1; i <= 2; i++) {
		k = i == 1 ? "p" : "d"
		uses(k, 0, L - 1)
		a[i, "layers"] = f["layers"] + 0
		a[i, "lines"] = f["lines"] + 0
		a[i, "demands"] = f["demands"] + 0
		a[i, "demands_a_token"] = share(f["demands"], tokens[k])
		a[i, "reuse_lines"] = f["pairs"] + 0
		a[i, "reuse"] = share(f["again"], f["pairs"] * K)
		a[i, "reuse_chance"] = share(K, E)
		a[i, "reuse_lift"] = share(f["again"] * E, f["pairs"] * K * K)
		a[i, "reuse_recall"] = share(f["again"], f["lines"] * K)
		a[i, "entropy"] = f["entropy"]
		a[i, "entropy_share"] = f["entropy_share"]
		a[i, "experts_used"] = f["used"] + 0
		a[i, "experts_used_share"] = f["used_share"]
		a[i, "cover_16th"] = f["cover", 16]
		a[i, "cover_quarter"] = f["cover", 4]
		a[i, "cover_half"] = f["cover", 2]
		a[i, "guess_lines"] = f["guesses"] + 0
		a[i, "guess_precision"] = share(f["right"], f["guesses"] * G)
		a[i, "guess_recall"] = share(f["right"], f["lines"] * K)
	}
	row("name", "prefill", "decode")
	row("passes", passes["p"] + 0, passes["d"] + 0)
	row("tokens", tokens["p"] + 0, tokens["d"] + 0)
	m = split("layers lines demands demands_a_token reuse_lines reuse " \
	    "reuse_chance reuse_lift reuse_recall entropy entropy_share " \
	    "experts_used experts_used_share cover_16th cover_quarter " \
	    "cover_half", name, " ")
	for (i = 1; i <= m; i++)
		row(name[i], a[1, name[i]], a[2, name[i]])
	row("first_uses", first["p"] + 0, first["d"] + 0)
	row("distance_q1", quartile("p", 1), quartile("d", 1))
	row("distance_median", quartile("p", 2), quartile("d", 2))
	row("distance_q3", quartile("p", 3), quartile("d", 3))
	row("distance_0", bin("p", 0, 0), bin("d", 0, 0))
	for (low = 1; low <= largest; low *= 2)
		row("distance_" low, bin("p", low, 2 * low - 1),
		    bin("d", low, 2 * low - 1))
	if (guess == "")
		return
	split("guess_lines guess_precision guess_recall", name, " ")
	for (i = 1; i <= 3; i++)
		row(name[i], a[1, name[i]], a[2, name[i]])
	row("guess_strays", strays["p"] + 0, strays["d"] + 0)
}

function print_layers(   i, k, l) {
	i = guess == "" ? "" : "\tguess_lines\tguess_precision\tguess_recall"
	print "kind\tlayer\tlines\tdemands\treuse\tentropy\tentropy_share" \
	    "\texperts_used\texperts_used_share\tcover_16th" \
	    "\tcover_quarter\tcover_half" i
	for (i = 1; i <= 2; i++)
		for (l = 0; l < L; l++) {
			k = i == 1 ? "p" : "d"
			if (!((k, l) in lines))
				continue
			uses(k, l, l)
			printf "%s\t%d\t%d\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%s\t%s",
			    i == 1 ? "prefill" : "decode", l, f["lines"],
			    f["demands"], share(f["again"], f["pairs"] * K),
			    f["entropy"], f["entropy_share"], f["used"],
			    f["used_share"], f["cover", 16], f["cover", 4],
			    f["cover", 2]
			if (guess != "")
				printf "\t%d\t%s\t%s", f["guesses"],
				    share(f["right"], f["guesses"] * G),
				    share(f["right"], f["lines"] * K)
			print ""
		}
}

BEGIN {
	FS = "\t"
	while (guess != "" && (getline line < guess) > 0) {
		if (line ~ /^#/) {
			G = line
			sub(/.*topk=/, "", G)
			continue
		}
		split(line, w, "\t")
		guessed[w[1], w[3], w[4], w[5]] = "," w[6] ","
		guess_kind[w[1], w[3], w[4], w[5]] = w[2]
	}
}

/^#/ {
	split($0, w, /[ =]/)
	L = w[4]
	E = w[6]
	K = w[8]
	add = files++ > 0 ? pass + 1 : 0
	add_sequence = sequences + 0
	next
}

{
	$1 += add
	$3 += add_sequence
	if (pass != "" && ($1 != pass || $5 != layer))
		end_visit()
	if (pass == "" || $1 != pass) {
		end_pass()
		passes[$2]++
	}
	pass = $1
	kind = $2
	sequences = $3 >= sequences ? $3 + 1 : sequences
	layer = $5
	visit[layer]++
	lines[kind, layer]++
	before = (layer, $3, $4 - 1) in had ? had[layer, $3, $4 - 1] : ""
	had[layer, $3, $4] = "," $6 ","
	pairs[kind, layer] += before != ""
	here = guessed[$1, $3, $4, $5]
	guesses[kind, layer] += here != ""
	delete guess_kind[$1, $3, $4, $5]
	m = split($6, w, ",")
	for (i = 1; i <= m; i++) {
		want[w[i]]
		picks[kind, layer, w[i]]++
		again[kind, layer] += index(before, "," w[i] ",") > 0
		right[kind, layer] += index(here, "," w[i] ",") > 0
	}
}

END {
	end_visit()
	end_pass()
	for (i in guess_kind)
		strays[guess_kind[i]]++
	if (layers)
		print_layers()
	else
		print_all()
}
