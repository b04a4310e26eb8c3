# What is not a report, or not all of one, is refused with its place.
python3 "$K3_VECTORS/../report.py" >r
bad() {
    k3-trace report "$@"
    echo $?
}
bad none
bad .
: | bad
echo '{}' | bad
sed 's/"plan"/"plane"/' r >b && bad b
sed 's/"misses": [0-9]*/"misses": 1e99/' r >b && bad b
sed 's/"busy": [0-9.]*/"busy": -2/' r >b && bad b
sed 's/"hits": 400/"hits": 4000/' r >b && bad b
sed 's/"wall": 10.0/"wall": 12.0/' r >b && bad b
sed 's/"avx2"/"avx\\u001b[2J"/' r >b && bad b
head -c 3000 r >b && bad b
bad --nothing
bad r b | tail -n 1
k3-trace report r >/dev/full
echo $?
