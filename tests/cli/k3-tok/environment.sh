ln -s "${0%/*}/../../golden/good/tok-mini" m
K3_MODEL=m
export K3_MODEL
printf "the" | k3-tok
