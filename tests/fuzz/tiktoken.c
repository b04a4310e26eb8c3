/*
 * tiktoken.c - any bytes as a tiktoken.model, alone and after a good one
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/bpe.h"
#include "tests/base64.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was accepted must encode any text, here the file itself. */
static void
use(struct k3_vocab *vocab, const char *text, size_t len)
{
	struct k3_bpe bpe = { 0 };
	struct k3_err err;
	const uint32_t *id;
	size_t n, sum = 0;

	if (len > 0 &&
	    k3_bpe_encode(&bpe, vocab, text, len, &id, &n, &err) == 0) {
		for (size_t i = 0; i < n; i++)
			sum += vocab->len[id[i]];
		if (sum != len)
			abort();
	}
	k3_bpe_fini(&bpe);
	k3_vocab_fini(vocab);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct k3_buf file = { 0 };
	struct k3_vocab vocab;
	struct k3_err err;

	if (k3_vocab_parse(&vocab, text, size, "fuzz", &err) == 0)
		use(&vocab, text, size);
	for (unsigned i = 0; i < 256; i++) {
		char c = (char)i, line[8];
		int n;

		base64_put(&file, &c, 1);
		n = snprintf(line, sizeof(line), " %u\n", i);
		k3_buf_put(&file, line, (size_t)n, &err);
	}
	if (k3_buf_put(&file, text, size, &err) == 0 &&
	    k3_vocab_parse(&vocab, file.data, file.len, "fuzz", &err) == 0)
		use(&vocab, text, size);
	k3_buf_fini(&file);
	return 0;
}
