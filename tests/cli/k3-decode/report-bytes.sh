# A file name that is not UTF-8 is no reason to have no report.
name=$(printf 'm\377')
ln -s "$K3_TOYS/tiny" "$name"
echo 1 2 3 | k3-decode -q -m "$name" -n 1 -R r
python3 -c 'import json; print(json.load(open("r"))["arguments"][2])'
