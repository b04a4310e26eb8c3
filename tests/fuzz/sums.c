/*
 * sums.c - any bytes as a list of SHA-256 digests
 *
 * What is accepted stays in its folder, and is the same when it is written as
 * sha256sum does.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/sums.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct k3_sum *s, FILE *again)
{
	if (s->name[0] == '/' || s->name[0] == '\0' ||
	    strstr(s->name, "/../") != NULL || strncmp(s->name, "../", 3) == 0)
		abort();
	if (!s->has_digest)
		return;
	for (unsigned k = 0; k < K3_SHA256; k++)
		fprintf(again, "%02x", s->digest[k]);
	fprintf(again, "  %s\n", s->name);
}

static void
compare(const struct k3_sums *a, const struct k3_sums *b)
{
	size_t k = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (!a->sum[i].has_digest)
			continue;
		if (k >= b->n || strcmp(a->sum[i].name, b->sum[k].name) != 0 ||
		    memcmp(a->sum[i].digest, b->sum[k].digest, K3_SHA256) != 0)
			abort();
		k++;
	}
	if (k != b->n)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct k3_sums sums, twice;
	char *text = NULL;
	size_t len = 0;
	struct k3_err err;
	FILE *fp, *again;

	if (size == 0)
		return 0;
	fp = fmemopen((void *)(uintptr_t)data, size, "r");
	if (fp == NULL)
		abort();
	if (k3_sums_read(&sums, fp, "fuzz", &err) == 0) {
		again = open_memstream(&text, &len);
		for (size_t i = 0; i < sums.n; i++)
			check(&sums.sum[i], again);
		fclose(again);
		fclose(fp);
		fp = NULL;
		if (len > 0) {
			fp = fmemopen(text, len, "r");
			if (fp == NULL ||
			    k3_sums_read(&twice, fp, "again", &err) != 0)
				abort();
			compare(&sums, &twice);
			k3_sums_fini(&twice);
		}
		free(text);
	}
	k3_sums_fini(&sums);
	if (fp != NULL)
		fclose(fp);
	return 0;
}
