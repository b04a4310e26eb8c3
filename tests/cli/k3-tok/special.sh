ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "a<|open|>[BOS]<|reserved_token_310|>\n" >text
k3-tok -m m text
k3-tok -S -m m text | tee ids
k3-tok -d -m m ids
k3-tok -dS -m m ids
