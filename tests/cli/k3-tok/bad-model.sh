ln -s "${0%/*}/../../golden/good/tok-mini" m
mkdir bad
cp m/*.json bad
sed "7s/ 6/ 5/" m/tiktoken.model >bad/tiktoken.model
k3-tok -m bad </dev/null
