ln -s "${0%/*}/../../golden/good/tok-mini" m
i=0
while [ $i -lt 256 ]; do
	printf "%b" "\\0$(printf %03o $i)"
	i=$((i + 1))
done >bytes
# Each byte twice, in a well-formed text and in one cut short.
{
	cat bytes bytes
	printf "the \344\270\255\344\270 \364\220\200\200 end\355\240\200"
} >text
k3-tok -m m text | k3-tok -d -m m | cmp - text
k3-tok -S -m m text | k3-tok -dS -m m | cmp - text
k3-tok -0 -m m text | k3-tok -d0 -m m >back
{ cat text; printf "\0"; } | cmp - back
