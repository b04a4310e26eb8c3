# All policies and sizes, up to all experts of the layers that there are.
k3-trace cache "$K3_VECTORS/routes/demo.route"
