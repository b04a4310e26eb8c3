# What is not known as its own stays, and so does the folder.
ln -s "$K3_TOYS/tiny" m
k3-pack -m m -o trunk
echo mine >trunk/notes
echo broken >trunk/002.k3l
k3-pack --remove -m m -o trunk
ls trunk
