# A dump of pairs is of K3, and all its passes are of prompts.
k3-trace stat "${0%/*}/../../golden/good/routes-pairs.bin" | head -n 8
