# The help text goes to standard output.
k3-trace plot -h
k3-trace plot -V | sed 's/[0-9.]*$/N/'
