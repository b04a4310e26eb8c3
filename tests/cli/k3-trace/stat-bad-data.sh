# What is no stream of routes is refused, with the line.
printf '#k3-route 1 layers=2 experts=4 topk=1\n0\td\t0\t0\t1\t4\t-\n' >bad
k3-trace stat bad
echo $?
k3-trace stat </dev/null
echo $?
k3-trace stat .
