echo few >few
k3-trace disk few
echo $?
mkdir model
: >model/model-00001-of-000002.safetensors
head -c 1000 /dev/zero >model/model-00002-of-000002.safetensors
mkfifo model/fifo.safetensors
k3-trace disk model
echo $?
