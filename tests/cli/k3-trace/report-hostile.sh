# Numbers that a report may have, but no run: no share is above 100 per cent.
python3 "$K3_VECTORS/../report.py" >r
sed 's/"busy": [0-9.]*/"busy": 1e10/g' r | k3-trace report | grep busy
sed 's/"busy": [0-9.]*/"busy": 1e-320/g' r | k3-trace report | grep -A2 busy
sed 's/"\(wall\|compute\|trunk_wait\|expert_wait\|other\)": [0-9.]*/"\1": 0/g' r |
    k3-trace report >zero
grep -ci nan zero
grep ' %' zero
for n in 0 4611686018427387904; do
    sed "s/_bytes\": [0-9]*/_bytes\": $n/g; s/s\": [0-9]*,/s\": 0,/g" r |
        k3-trace report | grep -e memory -e token -e '^next'
done
