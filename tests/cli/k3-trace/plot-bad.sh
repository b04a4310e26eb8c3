# Tables that are none, with the line.
bad() {
    printf "$1" | k3-trace plot --script "${2:-cache}"
    echo $?
}
bad ''
bad 'policy\tslots\n'
bad 'policy\tslots\thit_rate\n'
bad 'policy\tslots\thit_rate\nlru\t1\n'
bad 'policy\tslots\thit_rate\nlru\t1\t0\t0\n'
bad 'policy\tslots\thit_rate\nlru\t10\t0.5\nlru\tnan\t0\n'
bad 'policy\tslots\thit_rate\nlru\t10\t1.01\n'
bad 'policy\tslots\thit_rate\nlru\t-1\t0\n'
bad 'policy\tslots\thit_rate\nlru\t1e999\t0\n'
bad 'policy\tslots\thit_rate\nlru\t0x10\t0\n'
bad 'policy\tslots\thit_rate\nlru\t0\t0\n'
bad 'policy\tslots\tslots\thit_rate\n'
bad 'policy\tslots\t\n'
bad 'policy\tslots\thit_rate\nl\0u\t1\t0\n'
bad 'policy\tslots\thit_rate\n\nlru\t1\t0\n'
bad 'ram\tseconds_a_token\n' split
bad 'ram\tseconds_a_token\tbest\n8e9\t-\t1\n' split
bad 'ram\tseconds_a_token\tbest\n8e9\t1\t2\n' split
{
    printf 'policy\tslots\thit_rate\n'
    for i in 1 2 3 4 5 6 7 8 9; do printf '%d\t1\t0\n' $i; done
} >t
bad "$(cat t)\n"
bad '{}' passes
bad '#k3-route 2\n' experts
k3-trace plot --script cache none
echo $?
head -c 17000000 /dev/zero | tr '\0' a | k3-trace plot cache --script
echo $?
