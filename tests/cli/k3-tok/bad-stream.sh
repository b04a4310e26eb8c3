ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "269\n269 x\n" | k3-tok -dL -m m
