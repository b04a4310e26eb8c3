# It dies by SIGPIPE in silence, like cat.
{ k3-pack --layer head -o - -m "$K3_TOYS/wide"; echo $? >status; } | true
cat status
