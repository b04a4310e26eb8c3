# The help text goes to standard output.
k3-trace stat -h
