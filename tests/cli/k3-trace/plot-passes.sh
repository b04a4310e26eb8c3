# Bars of prompt and of generated tokens, a panel each where there are both.
python3 "$K3_VECTORS/../report.py" prompt_passes=2 generated=3 slow=2 |
    k3-trace plot --script passes | sed '/^set style/d'
# Of more passes than there is room for several share a bar.
python3 "$K3_VECTORS/../report.py" prompts=1 generated=500 >r
k3-trace plot --script passes r | grep -c '^[0-9.]* 3 1 5 4$'
k3-trace plot --script passes r | grep '^[0-9.]* 2 1 5 4$'
python3 "$K3_VECTORS/../report.py" prompts=0 | k3-trace plot passes --script
k3-trace plot passes r r
