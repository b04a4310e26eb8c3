# Of each table the best division of each budget; names from files or labels.
cat >slow.tsv <<'T'
ram	seconds_a_token	best
8589934592	30	1
8589934592	33	0
34359738368	12.5	1
T
sed 's/30/15/' slow.tsv >fast.tsv
k3-trace plot split --script slow.tsv ./fast.tsv | sed '/^set style/d'
for files in slow.tsv 'slow.tsv fast.tsv --label S --label F'; do
    echo
    k3-trace plot --script split $files | sed -n '/^plot/,$p'
done
k3-trace plot --script split --label S slow.tsv fast.tsv
sed 2,4d slow.tsv >empty.tsv
k3-trace plot --script split slow.tsv empty.tsv
