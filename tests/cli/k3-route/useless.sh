# Options that would do nothing are refused.
for option in '--hidden h -r 1G' '--hidden h ids' '--lookahead 2 ids'; do
	k3-route $option 2>&1 | head -n 1
done
