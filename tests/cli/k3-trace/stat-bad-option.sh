# Options that there are not, or that exclude each other.
k3-trace stat --nothing
echo $?
k3-trace stat --top 0
echo $?
k3-trace stat --top many
echo $?
k3-trace stat --top 3 --layers
