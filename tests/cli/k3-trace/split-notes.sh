# What is measured or assumed is told.
k3-trace split -m "$K3_TOYS/tiny" -j 1 -r 1G 2>notes >/dev/null
sed 's/[0-9][0-9.e+]* \(G[A-Z]*\)/N \1/g' notes
k3-trace split -m "$K3_TOYS/tiny" --disk 1 --memory 2 --compute 3 -r 1G 2>&1 >/dev/null
