ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the\n" | k3-tok -m m >/dev/full
