# A model's folder may come with links: what is no file of digests stays.
cp -r "$K3_TOYS/tiny" m
chmod -R u+w m
echo precious >victim
ln -s ../victim m/k3-digests
k3-verify checkpoint -q --make-digests m || echo $?
cat victim
ls m
ln -sf ../digests m/k3-digests
k3-verify checkpoint -q --make-digests -o digests m
k3-verify checkpoint -q --make-digests m
rm m/k3-digests
mkfifo m/k3-digests
k3-verify checkpoint -q --make-digests m
