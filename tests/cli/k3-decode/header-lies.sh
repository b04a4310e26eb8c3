mkdir m && cp "$K3_TOYS/tiny"/* m && chmod -R u+w m
printf '\377\377\377\377\377\377\377\177' |
    dd of=m/model.safetensors conv=notrunc status=none
echo 1 2 3 | k3-decode -q -m m
