k3-verify checkpoint -h
k3-verify checkpoint --wrong
echo $?
k3-verify checkpoint one two
echo $?
k3-verify checkpoint -m one two
