# The IDs of a prompt that fills the context, and files of hidden states.
files() {
	k3-decode -m "$K3_TOYS/thirteen" --plan --context "$1" $2 |
	    tr -s ' ' | grep ^files
}
files 1000
files 1000000
files 1000 '--hidden x'
