ln -s "${0%/*}/../../golden/good/tok-mini" m
k3-tok -h
