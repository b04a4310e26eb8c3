ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the\\\\\t\\033\n\n\344\270\255\303\251\377\n" >text
k3-tok --pieces -m m text
echo lines
k3-tok --pieces -L -m m text
echo decoded
printf "269 307\n\n284\n" | k3-tok -d --pieces -m m
