ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the\n\n in the end\n" >text
k3-tok -c -m m text
k3-tok --count --lines -m m text
