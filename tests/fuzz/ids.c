/*
 * ids.c - any bytes as a token-ID stream, written and read again
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/ids.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Copy the stream to 'out'; returns how it ended, sums up what was in it. */
static int
copy(const char *text, size_t len, FILE *fp, uint64_t *sum)
{
	struct k3_ids_out out = { .fp = fp, .name = "out" };
	struct k3_ids ids;
	struct k3_err err;
	uint32_t id;
	int got;

	*sum = 0;
	k3_ids_init_mem(&ids, text, len, "fuzz", 163840);
	while ((got = k3_ids_get(&ids, &id, &err)) > 0) {
		*sum = *sum * 31 + (got == K3_IDS_ID ? id : 163840);
		if (got == K3_IDS_ID ? k3_ids_put(&out, id, &err) != 0
				     : k3_ids_end(&out, &err) != 0)
			abort();
	}
	return got;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t first, second;
	char *text, *again;
	size_t len, len2;
	FILE *fp = open_memstream(&text, &len);
	int end = copy((const char *)data, size, fp, &first);

	fclose(fp);
	if (end == 0) {
		fp = open_memstream(&again, &len2);
		if (copy(text, len, fp, &second) != 0 || first != second)
			abort();
		fclose(fp);
		if (len != len2)
			abort();
		free(again);
	}
	free(text);
	return 0;
}
