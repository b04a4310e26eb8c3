ln -s "${0%/*}/../../golden/good/tok-mini" m
for o in -L --decode --pieces; do
	case $o in -L) other=-0 ;; *) other=-c ;; esac
	k3-tok -m m $o $other </dev/null
	echo $?
done
