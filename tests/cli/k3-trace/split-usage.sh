# Options that there are not, or not alone, and values that are none.
for bad in --nothing '--trunk-disk 2' '--disk 0' '--disk nowhere.json' \
	'--trunk-disk x' '--compute 0' '--memory -1' '--context 0' '-j 0' \
	'-n 0' '--prompt -1' '-r 1X' '-r 1G,,2G' '-r ' '--ram nan'; do
	# shellcheck disable=SC2086 # of several words
	k3-trace split -q -m "$K3_TOYS/tiny" --memory 1 --compute 1 $bad \
		>/dev/null
	echo $?
done
