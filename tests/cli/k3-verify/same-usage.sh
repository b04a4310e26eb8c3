k3-verify same -h
k3-verify same --wrong
echo $?
k3-verify same one two
echo $?
k3-verify same -n 0
echo $?
k3-verify same -n 65537
echo $?
k3-verify same --budget x
echo $?
k3-verify same --plan --json -m "$K3_TOYS/tiny" 2>/dev/null
echo $?
k3-verify same --cpu none -m "$K3_TOYS/tiny"
echo $?
k3-verify same --disk 2 -m "$K3_TOYS/tiny"
