# Every CPU level and engine that is there is run, and counts.
echo 3 4 5 >ids
k3-verify same -q -n 2 --cpu scalar --io pread -m "$K3_TOYS/tiny" ids >out
echo $?
awk -F '[\t/]' '/^(cpu|io)\t/ && $2 != $3' out
k3-verify same -q -n 2 --cpu scalar --io pread --plan -m "$K3_TOYS/tiny" ids |
    awk -F '\t' '{ n[$1]++ } END { for (r in n) print r "\t" n[r] "/" n[r] }' |
    grep -E '^(cpu|io|budgets)' | sort >want
grep -E '^(cpu|io|budgets)' out | sort >got
# A plan has no line for a rung without ways.
grep -v '0/0' got | diff want -
