# What a table cannot say, a picture does not: bytes of a slot that are next to
# none, or differ, give no axis of bytes; files of one name need labels; layer 0
# begins where it is.
head='policy\tslots\tbytes\thit_rate\n'
printf "${head}lru\t1\t5e-324\t0.5\nlru\t4\t4e-323\t0.6\n" >tiny
printf "${head}lru\t10\t10000\t0.5\nlru\t100\t1e8\t0.6\n" >differ
printf "${head}lru\t10\t10000\t0.5\nlru\t100\t100000\t0.6\n" >same
for f in tiny differ same; do
	k3-trace plot cache --script $f | grep -c '^set x2tics ('
done
mkdir a b
printf 'ram\tseconds_a_token\tbest\n8e9\t30\t1\n16e9\t10\t1\n' >a/s.tsv
cp a/s.tsv b/s.tsv
k3-trace plot split --script a/s.tsv b/s.tsv
echo $?
k3-trace plot split --script --label one --label one a/s.tsv b/s.tsv
echo $?
k3-trace plot split --script --label one --label two a/s.tsv b/s.tsv |
	grep -c '^\$line'
printf '#k3-route 1 layers=2 experts=2 topk=1\n0\td\t0\t0\t0\t1\t-\n0\td\t0\t0\t1\t0\t-\n' >route
k3-trace plot experts --script route | grep yrange
k3-trace plot experts --script --label x route
