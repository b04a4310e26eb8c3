# Options that would do nothing are refused.
for options in '--hidden h -r 1G' '--hidden h ids' '--lookahead 2 ids' \
    '--reads --chunk 2' '--reads --hidden h' '--reads a b' \
    '--reads -j 2' '--reads --cpu scalar'; do
	k3-route $options 2>&1 | head -n 1
done
