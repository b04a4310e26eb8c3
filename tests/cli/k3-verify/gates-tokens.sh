model=$K3_TOYS/thirteen
gates="k3-verify gates -q --quick -n 1 -m $model"
for text in "It is" "a b"; do
	ids=$(printf %s "$text" | k3-tok -m "$model" | tr ' ' ,)
	echo "{\"text\":\"$text\",\"ids\":[$ids]}"
done >right
$gates --tokens right | grep tok
sed '2s/\]/,1]/' right >wrong
$gates --tokens wrong | grep tok
$gates --tokens wrong >out
echo $?
echo '{"text":"a"}' >bad
$gates --tokens bad | grep tokens
$gates --tokens bad >out
echo $?
printf '\n{"te' >bad
$gates --tokens bad >out
echo $?
$gates --tokens nowhere >out
