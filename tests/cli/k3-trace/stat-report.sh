# What a run read on a guess, from its report.
python3 "$K3_VECTORS/../report.py" right=150 wrong=50 >report
sed 's/"guessed_wrong": *[0-9]*/"guessed_wrong":4000000000000000000/g' \
	report >huge
printf '#k3-route 1 layers=2 experts=4 topk=1\n' >routes
k3-trace stat --report report routes | grep read
k3-trace stat --report - routes <report | tail -n 1
k3-trace stat --json --report report routes | grep -c read_
for f in huge routes missing; do
	k3-trace stat --report $f routes
	echo $?
done
