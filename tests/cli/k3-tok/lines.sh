ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the\n\n in\r\nlast" | k3-tok -L -m m
printf "" | k3-tok --lines -m m
