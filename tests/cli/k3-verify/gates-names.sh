# Names with bytes that are no text, or that would end the line.
gates="k3-verify gates -q --quick -n 1 -m $K3_TOYS/tiny"
name=$(printf 'a\nb\377')
echo 3 4 5 >ids
echo 0 >"$name"
$gates --prompt ids --expect "$name" | grep -a -A 1 '^reference' | tr '\377' '@'
$gates --prompt ids --expect "$name" --json | grep -A 4 '"reference"'
echo '{"text":"a","ids":[1]}' >"$name"
$gates --prompt ids --tokens "$name" | grep -a -A 1 '^tokens' | tr '\377' '@'
$gates --prompt ids --tokens "$name" --json | grep -A 4 '"tokens"'
