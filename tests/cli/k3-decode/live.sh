# A terminal gets one line, written over; IDs do not, and the line is gone
# before they come.
seq -s ' ' 1 60 >ids
python3 - <<'P'
import os, pty, re, subprocess
master, slave = pty.openpty()
run = subprocess.Popen(["k3-decode", "-m", os.environ["K3_TOYS"] + "/big",
    "--io", "pread", "--trunk-ram", "0", "--cache-ram", "0", "--chunk", "4", "-n", "2", "--stop", "none", "ids"],
    stdout=subprocess.PIPE, stderr=slave)
os.close(slave)
text = b""
try:
    while more := os.read(master, 4096):
        text += more
except OSError:
    pass
out = run.stdout.read()
print(run.wait(), len(out.split()))
lines = [l.split("\n")[-1] for l in text.decode().split("\r\x1b[K")]
print(lines[-1] == "", text.count(b"\n"))
for shape in sorted({re.sub(r"[0-9][-+.e0-9]*", "N", l) for l in lines if "left" in l}):
    print(shape)
chunks = [int(re.search(r"chunk (\d+) of 15", l).group(1)) for l in lines if l]
print(len(chunks) > 0 and chunks == sorted(chunks) and chunks[-1] <= 15)
P
