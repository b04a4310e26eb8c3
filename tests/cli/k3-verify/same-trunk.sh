# A packed trunk and digests are two rungs more; standard input is the prompt.
mkdir model
ln -s "$K3_TOYS"/odd/* model
k3-pack -q -m model
k3-verify checkpoint -q --make-digests model >made || cat made
echo 3 4 5 | k3-verify same -q -j 1 -n 2 -m model - |
    grep -v -e '^cpu' -e '^io'
