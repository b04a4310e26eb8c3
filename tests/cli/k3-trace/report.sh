# A run on one screen; several, told apart by their names; one on a pipe.
python3 "$K3_VECTORS/../report.py" >one
python3 "$K3_VECTORS/../report.py" generated=0 prompts=2 prompt_passes=2 \
    evicted=0 streamed=0 >two
k3-trace report one two
k3-trace report - <one >three
k3-trace report <one | cmp - three
