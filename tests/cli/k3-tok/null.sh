ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the\n\0\0 in" | k3-tok -0 -m m | tee ids
k3-tok --null -d --model=m ids | od -c
