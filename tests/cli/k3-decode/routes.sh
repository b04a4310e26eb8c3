# One line a pass, position and MoE layer, in the order of the engine.
echo 1 2 | k3-decode -q -m "$K3_TOYS/tiny" -n 2 --stop none --route r >out
cut -f 1-6 r
ls -l r | cut -c 1-10
