ln -s "${0%/*}/../../golden/good/tok-mini" m
# A megabyte of one thing each: quadratic time would take minutes.
mega() {
	yes "$1" | tr -d '\n' | head -c 1000002
}
for unit in t " " 7 "$(printf '\344\270\255')" "$(printf '\314\201')" T \' \
	"$(printf '\314\201T')" '<|reserved_token_' "$(printf '\377')"; do
	mega "$unit" >text
	timeout 60 k3-tok -cS -m m text
	timeout 60 k3-tok -S -m m text | k3-tok -dS -m m | cmp - text
done
