# Files that are not there; the second is opened after the first.
k3-trace cache nowhere
echo $?
k3-trace cache "$K3_VECTORS/routes/demo.route" nowhere
