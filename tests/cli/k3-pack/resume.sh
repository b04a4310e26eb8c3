# A missing file is written, a cut or damaged one again, the others are kept.
ln -s "$K3_TOYS/tiny" m
k3-pack -m m -o trunk && cp -r trunk good
rm trunk/000.k3l
printf X | dd of=trunk/001.k3l bs=1 seek=9000 conv=notrunc 2>/dev/null
dd if=good/002.k3l of=trunk/002.k3l bs=1000 count=9 2>/dev/null
echo 'left by a killed process' >trunk/.000.k3l.tmp
k3-pack -v -m m -o trunk
diff -r good trunk && ls -A trunk
