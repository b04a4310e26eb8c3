# The name of a report has no controls that a terminal would obey, and no tabs.
name=$(printf 'a\033[31m\tb\342\200\256-größe')
cp "$K3_VECTORS/../fuzz/corpus/run/good" "$name"
k3-trace split --disk 1 --compute 9 --memory 9 "$name" | cut -f 1-3
k3-trace report "$name" "$name" | grep :$
