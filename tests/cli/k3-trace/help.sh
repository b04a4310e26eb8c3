# The help text goes to standard output.
k3-trace -h | sed '/^  [a-z]/d'
k3-trace --version | sed 's/[0-9.]*$/N/'
