# What to change next: each rule of the manual, and what it looks at.
next() {
    python3 "$K3_VECTORS/../report.py" "$@" >r
    printf '%s: ' "$*"
    k3-trace report --json r | sed 's/.*"rule":"\([a-z]*\)".*/\1/'
    k3-trace report r | sed -n '/^next/,$p'
}
next prompts=0
next peak=60000000001
next other=43
next other=42
next compute=20 cpu=scalar
next compute=20
next io=pread
next prompt_passes=10 prompt_trunk=20
next right=1 wrong=3
next depth=1.5
next depth=1.5 experts=6
next busy=0.5 experts=6
next cache=30000000000
next hits=50
next hits=900 experts=6
next streamed=0
next streamed=0 evicted=0
next streamed=0 options=-q
# Where nothing caps memory, all that there is was taken.
for options in --ram=8G '--cache-ram 1G' '--trunk-r 1G' -p\ max -qr8G \
    '-m r -n 5 -R p' '--trunk t --route r'; do
    next "options=$options" | head -n 1
done
