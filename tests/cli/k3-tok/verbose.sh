ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the\nend\n" | k3-tok -L -v -m m
printf "the\nend\n" | k3-tok -Lvq -m m
