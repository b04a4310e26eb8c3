# A folder with an empty name, as of a variable that is not set, is no folder:
# not the demo, and not the root.
ln -s "$K3_TOYS/tiny" m
for command in 'k3-verify checkpoint -q ""' 'k3-verify checkpoint -q -m ""' \
	'k3-verify trunk -q -m ""' 'k3-verify trunk -q -m m ""' \
	'k3-verify same -q --quick -m ""' 'k3-verify diff -m "" m m' \
	'k3-verify gates -q --quick -m ""' 'k3-decode -q -m ""' \
	'k3-decode -q -m m -t ""' 'k3-tok -m ""' 'k3-pack -q -m "" --plan' \
	'k3-pack -q -m m -o "" --plan' 'k3-pack -q -m m -o ""' \
	'k3-route -q -m ""' 'k3-route -q -m m --hidden ""' \
	'sed "s/.*/#k3-route 1 layers=3 experts=3 topk=2/" | k3-trace cache -m ""' \
	'k3-trace split -q -m ""'; do
	echo 1 2 | sh -c "$command"
	echo "$command: $?"
done
