# One that was made on a toy, forecast by its own rates and by given ones.
run=$K3_VECTORS/../fuzz/corpus/run
cp "$run/good" run.json
k3-trace split run.json
k3-trace split --disk 1 --memory 2 --compute 3 - <run.json
k3-trace split --json run.json run.json | grep -c '"off"'
for bad in cut endless; do
	cp "$run/$bad" bad.json
	k3-trace split bad.json
	echo $?
done
sed 's/"chunk": *16/"chunk":0/' run.json | k3-trace split -
echo $?
k3-trace split run.json nowhere.json >/dev/null
