# At a limit on the size of files writing fails; the tool does not die of it.
ln -s "${0%/*}/../../golden/good/tok-mini" m
yes | head -c 100000 | (ulimit -f 1 && k3-tok -m m >ids)
