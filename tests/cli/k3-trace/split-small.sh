# A budget in which the model cannot run; one of a list that comes later.  How
# much it takes depends on the length of its folder's name.
exec 4>&2 2>err
k3-trace split -q -m "$K3_TOYS/tiny" -j 1 --disk 1 --memory 1 --compute 1 -r 1M
echo $?
k3-trace split -q -m "$K3_TOYS/tiny" -j 1 --disk 1 --memory 1 --compute 1 \
	-r 1G,1M | wc -l
k3-trace split -q -m nowhere
echo $?
k3-trace split -q -m "$K3_TOYS/tiny" --disk 1 --memory 1 --compute 1 \
	--context 2000000 -r 1G
status=$?
sed 's/that works is [0-9]*$/that works is N/' err >&4
exit $status
