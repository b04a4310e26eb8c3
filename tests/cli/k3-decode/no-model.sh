k3-decode -m no-such-model </dev/null
