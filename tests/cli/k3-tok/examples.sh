ln -s "${0%/*}/../../golden/good/tok-mini" m
printf "the return\nin the end\n" >prompt.txt
K3_MODEL=m
export K3_MODEL
bash <<'EOF'
set -o pipefail
k3-tok -cL prompt.txt | paste - prompt.txt | sort -n
k3-tok --pieces prompt.txt | cut -f 2
head -c 1000000 /dev/urandom >bytes
k3-tok bytes | k3-tok -d | cmp - bytes
EOF
