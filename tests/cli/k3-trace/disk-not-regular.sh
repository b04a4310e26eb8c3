# A FIFO is not waited for, a device not read.
mkfifo fifo
k3-trace disk fifo
echo $?
k3-trace disk /dev/zero
echo $?
k3-trace disk ''
echo $?
