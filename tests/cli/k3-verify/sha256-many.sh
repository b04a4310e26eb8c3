# More files than may be open at a time.
cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
for i in $(seq 400); do
	echo "$i" >"m/$i"
done
(cd m && sha256sum ./* | sed 's|\./||') >list
ulimit -n 256
k3-verify checkpoint -q -j 3 --sha256=list m | sed 1d
echo damaged >m/399
k3-verify checkpoint -q -j 3 --sha256=list m | sed '1d; s/[0-9a-f]\{64\}/HEX/g'
