ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "269,269\t\n\n 284" >ids
k3-tok -d -m m ids; echo
k3-tok -dL -m m ids
