# A packed trunk changes nothing.
k3-pack -q -m "$K3_TOYS/odd" -o trunk >list
echo 1 2 3 4 5 | k3-route -q -m "$K3_TOYS/odd" >want
echo 1 2 3 4 5 | k3-route -q -m "$K3_TOYS/odd" -t trunk --trunk-ram 0 | cmp - want
