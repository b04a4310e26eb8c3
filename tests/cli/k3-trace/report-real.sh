# Of a real run: 80 columns, 24 lines, and all of the time, which is 100 %.
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 5 --stop none -R r >/dev/null
k3-trace report r >out
awk 'length > 79 { print "long:", $0 }
    / %$/ && /computing/, /other/ {
        prompt += $(NF - 7); generated += $(NF - 4); all += $(NF - 1)
    }
    END { print prompt, generated, all, NR < 24 }' out
sed -n 's/^\(tokens\|passes\)  */\1 /p' out | tr -s ' '
