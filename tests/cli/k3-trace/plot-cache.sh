# A line for each policy, sorted by size; bytes on top where they are known.
cat >t <<'T'
policy	slots	bytes	hit_rate
lru	100	2000000000	0
lru	400	8000000000	0.5
belady	400	8000000000	0.75
belady	100	2000000000	0.25
lru	0	0	0
T
k3-trace plot --script cache t
echo
echo and of two traces, of which nothing is known but slots:
sed 's/	[0-9]*000	/	-	/' t >chat.tsv
cp chat.tsv code.tsv
k3-trace plot cache --script chat.tsv code.tsv |
    grep -e x2label -e title -e '^\$'
