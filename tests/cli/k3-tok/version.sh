ln -s "${0%/*}/../../golden/good/tok-mini" m
k3-tok -V | sed "s/ [0-9.]*$/ VERSION/"
