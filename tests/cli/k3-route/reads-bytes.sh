# Where nothing stays, what is planned is what a run reads.
m=$K3_TOYS/wide
echo 1 2 3 4 5 >ids
k3-decode -q -m "$m" -n 3 --stop none --trunk-ram 0 --cache-ram 0 \
    --route routes -R report ids >out
k3-route --reads -m "$m" routes | awk -F '\t' 'NR > 1 { n += $3 } END { print n }' >got
python3 -c 'import json; print(json.load(open("report"))["total"]["counters"]["expert_bytes"])' | cmp - got
