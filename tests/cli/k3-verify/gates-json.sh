k3-verify gates -q --quick -n 2 --json -m "$K3_TOYS/tiny"
echo $?
k3-verify gates -q -j 1 --plan --io pread -m "$K3_TOYS/tiny" | cut -f 1-2 |
    grep -v -e '^cpu' -e '^io'
# A model that is not there yet.
mkdir model
cp "$K3_TOYS/tiny/config.json" "$K3_TOYS/tiny/tokenizer_config.json" \
    "$K3_TOYS/tiny/tiktoken.model" model
k3-verify gates -q -j 1 --quick --plan -r 64M -m model | cut -f 1-2
