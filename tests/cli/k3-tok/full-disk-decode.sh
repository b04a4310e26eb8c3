ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "269\n" | k3-tok -d -m m >/dev/full
