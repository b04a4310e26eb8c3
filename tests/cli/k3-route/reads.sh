# Each expert of a pass and layer once, rising, as one read or, where its parts
# do not adjoin, more.
m=$K3_TOYS/odd
printf '1 2\n3\n' | k3-route -q -m "$m" | tee routes | k3-route --reads -m "$m"
# Of a file too; and generated tokens are passes like others.
echo 1 2 3 | k3-decode -q -m "$m" -n 4 --stop none --route routes >out
k3-route --reads -m "$m" routes | awk -F '\t' 'NR > 1 { n[$6]++ }
    END { for (i = 0; i < 4; i++) print i, n[i] }'
# What each visit demands, by the routes themselves.
k3-route --reads -m "$m" routes | tail -n +2 | cut -f 4-6 | uniq >got
tail -n +2 routes | awk -F '\t' '{ n = split($6, e, ",")
    for (i = 1; i <= n; i++) print $5 "\t" e[i] "\t" $1 }' |
    sort -n -k 3,3 -k 1,1 -k 2,2 | uniq | cmp - got
