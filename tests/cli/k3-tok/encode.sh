ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the return\n" | k3-tok -m m
printf "the" >a
printf "" >empty
printf " in" | k3-tok -m m a - empty a
