k3-route -m no-such-model </dev/null
