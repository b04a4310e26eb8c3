# A model that is not there, and one of another shape.
k3-trace cache -m nowhere "$K3_VECTORS/wide/routes"
echo $?
k3-trace cache -m "$K3_TOYS/wide" - <"$K3_VECTORS/routes/demo.route"
