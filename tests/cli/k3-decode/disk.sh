# Times at one rate; a rate is a number of GB/s, and of use for a plan only.
k3-decode -m "$K3_TOYS/tiny" --plan=100 --disk 2.5 -r 1G | sed -n 's/:.*//; /^at/p'
for rate in 0 -1 2G nan ''; do
	k3-decode -m "$K3_TOYS/tiny" --plan --disk "$rate"
	echo $?
done
k3-decode -m "$K3_TOYS/tiny" --disk 2 </dev/null 2>/dev/null
