# Two layers of four experts, of which a token has two: counted by hand.  Layer
# 0 demands 0, 1, 2 and 3 of the prompt's two tokens, which share none; layer 1
# demands 0, 1 and 2, and they share 1.  Then two tokens are generated:
#	layer 0: 2 3 again, of the last token; then 0 3, half of it
#	layer 1: 0 3, none; then 0 3
# Distances in order: 2 had 3, and 0, 1 and 2 of layer 1 after it, so 4; 3 had
# these and 2: 4.  0 of layer 1: 1, 2, and 2, 3 of layer 0: 4.  3 is new.  Last,
# layer 0: 0, which 1, 2, 3 and all four of layer 1 followed: 7; 3: 3, as 0 and
# 3 of layer 1 and 0 of layer 0 did; layer 1: 0, which 3 and two of layer 0 did:
# 3; and 3: 3.
t() {
	printf '%s\t%s\t0\t%s\t%s\t%s\t-\n' "$@"
}
{
	echo '#k3-route 1 layers=2 experts=4 topk=2'
	t 0 p 0 0 0,1
	t 0 p 1 0 2,3
	t 0 p 0 1 0,1
	t 0 p 1 1 1,2
	t 1 d 2 0 2,3
	t 1 d 2 1 0,3
	t 2 d 3 0 0,3
	t 2 d 3 1 0,3
} >routes
k3-trace stat routes
k3-trace stat --layers <routes
k3-trace stat --top 3 - <routes
