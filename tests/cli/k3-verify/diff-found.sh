# What is different besides elements.
pack() {
	k3-pack -q -m "$K3_TOYS/$1" -o "$1"
}
pack tiny
pack odd
pack thirteen
k3-verify diff tiny odd >all
grep -v '	' all | sed '1,7p; /shared_experts.up/p; $p; d'
cp -r tiny less
rm less/001.k3l
k3-verify diff tiny less
k3-verify diff less tiny
k3-verify diff tiny/001.k3l tiny/002.k3l | sed '4,$d'
k3-verify diff --json less tiny
echo 1 2 3 | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --hidden three >out
echo 1 2 3 4 | k3-decode -q -m "$K3_TOYS/tiny" -n 1 --hidden four >out
k3-verify diff three four
k3-verify diff four/001.k3l three/001.k3l
k3-verify diff four/001.k3l - <three/001.k3l
k3-verify diff three/001.k3l tiny/001.k3l | sed '7,$d'
