# A file that is not there.
k3-trace stat nothing
