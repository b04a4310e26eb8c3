cp -r "$K3_TOYS/tiny" m && chmod -R u+w m
k3-verify checkpoint --sha256 m
echo $?
echo 'nothing of the kind' >list
k3-verify checkpoint --sha256=list m
echo $?
printf '%064d  ../list\n' 0 >list
k3-verify checkpoint --sha256=list m
echo $?
k3-verify checkpoint --sha256=m m
echo $?
k3-verify checkpoint --sha256=list --done nowhere/done m
