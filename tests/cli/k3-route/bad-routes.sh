# Refused by line, with what the model has.
m=$K3_TOYS/tiny
try() {
	printf "$@" | k3-route --reads -m "$m"
	echo $?
}
try ''
try '#k3-route 1 layers=93 experts=896 topk=16\n'
head='#k3-route 1 layers=3 experts=3 topk=2\n'
try "$head"
try "${head}0\tp\t0\t0\t1\t0,2\t-\n0\tp\t0\t1\t0\t0,1\t-\n"
try "${head}0\tp\t0\t0\t0\t0,1\t-\n"
try "${head}0\tp\t0\t0\t1\t0,2\t-\n0\tp\t0\t1\t1\t0,3\t-\n"
try "${head}0\tp\t0\t0\t1\t0,2\t-\n0\tp\t0\t0\t2\t0,2"
k3-route --reads -m "$m" no-such-file
echo $?
