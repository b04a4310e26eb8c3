# A full disk is an error.
printf '#k3-route 1 layers=2 experts=4 topk=1\n' | k3-trace stat >/dev/full
