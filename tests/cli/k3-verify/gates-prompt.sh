# A prompt of one ID; one in chunks of one, where no two sequences fit.
echo 7 >one
k3-verify gates -q -n 1 --quick -m "$K3_TOYS/tiny" --prompt one
echo 7 8 9 | k3-verify gates -q -n 2 --quick -m "$K3_TOYS/tiny" --prompt - \
    --chunk 1
# Without a tokenizer.
mkdir model
ln -s "$K3_TOYS"/tiny/* model
rm model/tiktoken.model
k3-verify gates --quick -m model 2>err
grep -c tiktoken err
