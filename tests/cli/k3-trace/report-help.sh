# The help text goes to standard output.
k3-trace report -h
k3-trace report -V | sed 's/[0-9.]*$/N/'
