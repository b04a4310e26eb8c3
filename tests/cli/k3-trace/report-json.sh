# Each field, of one line a report; no number is above what a share can be.
python3 "$K3_VECTORS/../report.py" >one
python3 "$K3_VECTORS/../report.py" prompts=0 >none
k3-trace report --json one none >out
cat >show.py <<'P'
import json, sys
for line in sys.stdin:
    for key, value in json.loads(line).items():
        print(key, value)
P
python3 show.py <out
