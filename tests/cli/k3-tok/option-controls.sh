# What a terminal would obey is not told as it stands.
esc=$(printf '\033') turn=$(printf '\342\200\256')
k3-tok "--$esc[31m"
k3-tok "--pieces=$turn"
k3-tok -q"$esc"
# The first byte of two, and after another option.
k3-tok -d -é
k3-tok --größe "$esc"
k3-tok -m
k3-tok --s"$esc"
