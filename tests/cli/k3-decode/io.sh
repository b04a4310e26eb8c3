# Engines read the same; a name that is none is refused.
model="$K3_TOYS/thirteen"
seq -s ' ' 1 20 >ids
k3-decode -q -m "$model" -n 8 ids >want
least=$(k3-decode -q -m "$model" --context 40 -r 1M ids 2>&1 | sed 's/.* is //')
for io in aio pread; do
	k3-decode -q -m "$model" -r "$least" --io "$io" --io-timeout 5 \
	    --context 40 -n 8 ids >got
	cmp got want
done
k3-decode -m "$model" --io uring ids
