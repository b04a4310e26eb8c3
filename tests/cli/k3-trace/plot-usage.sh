# What the command line must be, and what is written where.
printf 'policy\tslots\thit_rate\nlru\t10\t0.5\n' >t
for arguments in '' nothing '--script --nothing cache t' '-o' \
    '--script --label a --label b cache t'; do
    k3-trace plot $arguments
    echo $?
done
k3-trace plot --script -o out cache t
k3-trace plot --script cache t | cmp - out
ls -A
k3-trace plot --script -o none/out cache t
echo $?
k3-trace plot --script cache t >/dev/full
echo $?
k3-trace plot --script -o /dev/full cache t
echo $?
# Some gnuplot that fails: there is no picture then, not even half of one.
mkdir bin
printf '#!/bin/sh\necho "<svg>"\nexit 3\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH k3-trace plot -o picture cache t
echo $?
printf '#!/bin/sh\ncat >/dev/null\n' >bin/gnuplot
PATH=$PWD/bin:$PATH k3-trace plot cache t
echo $?
ls -A
