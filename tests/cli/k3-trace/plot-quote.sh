# Whatever a name holds, gnuplot sees characters of one quoted text.
printf 'policy\tslots\thit_rate\n%s\t10\t0.5\nb\t10\t0.1\n' "a'b\`id\`" >t
name=$(printf "'; system 'id'; \`id\`; @x {b} %%s \"\\\\\nx\001\377\302\205\357\277\277\342\202\254.tsv")
cp t "$name"
k3-trace plot --script --title "$name" cache t | grep -e 'set title' -e notitle
k3-trace plot --script cache t "$name" | sed -n '/^plot/,$p'
k3-trace plot --script --label "it's" cache t | sed -n '/^plot/,$p'
