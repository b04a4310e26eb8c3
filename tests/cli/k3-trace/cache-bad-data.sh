# Bad lines; and a shape whose tables nobody has memory for.
printf '#k3-route 1 layers=2 experts=4 topk=1\n0\td\t0\t0\t1\t4\t-\n' | k3-trace cache
echo $?
printf '#k3-route 1 layers=4096 experts=65536 topk=1\n' | k3-trace cache
