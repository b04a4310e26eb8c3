/*
 * hidden.c - any bytes as a dump of a model's hidden states
 *
 * Four bytes say where the first layer's file ends and the second's begins; one
 * of no bytes is missing.  Each input is tried as it is, and with what follows
 * from the rest and the model put right: digests, layout, the fingerprint.
 */
#include <math.h>

#include "common/cpu.h"
#include "common/hidden.h"
#include "common/pack.h"
#include "tests/layer-forge.h"
#include "tests/shards.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The first layer has no experts, and no file. */
#define FILES 2

/* Enough for a second step within a layer. */
#define MAX_POS 600

#define PRINT_AT 24 /* in a layer file */

static struct k3_cfg cfg;
static struct k3_st *st;
static struct shards model;
static uint8_t print[K3_DIGEST128];
static char dir[] = "/tmp/k3-fuzz-XXXXXX";

static void
cleanup(void)
{
	rmdir(dir);
	shards_remove(&model);
}

/* All of them small, as BF16 and as F32: the pattern has infinities. */
static void
write_numbers(void)
{
	char path[128];
	FILE *fp;

	shards_path(&model, 0, path);
	if ((fp = fopen(path, "r+b")) == NULL)
		abort();
	for (unsigned i = 0; i < model.n; i++)
		for (uint64_t k = 1; k < model.t[i].len; k += 2) {
			fseek(fp, (long)(model.t[i].off + k), SEEK_SET);
			putc(k % 3 == 0 ? 0xbe : 0x3e, fp);
		}
	if (fclose(fp) != 0)
		abort();
}

static void
write_model(void)
{
	struct k3_err err;

	shards_config(&cfg);
	cfg.topk = 2;
	cfg.scaling = 1;
	cfg.max_pos = MAX_POS;
	shards_fill(&model, &cfg);
	shards_write(&model);
	write_numbers();
	st = k3_st_open(model.dir, &cfg, &err);
	if (st == NULL || k3_fingerprint(&cfg, st, print, &err) != 0 ||
	    mkdtemp(dir) == NULL)
		abort();
	atexit(cleanup);
}

static void
check(const struct k3_hidden_rows *r, uint32_t wide, uint32_t ahead)
{
	if ((ahead > 0) != (r->weight == NULL) ||
	    r->layer < cfg.ndense + (ahead > 0) || r->layer >= cfg.nlayer ||
	    r->n > MAX_POS || r->first + r->n > MAX_POS)
		abort();
	for (size_t i = 0; i < r->n * wide; i++)
		if (r->pick[i] >= cfg.experts ||
		    (i % wide > 0 && r->pick[i] <= r->pick[i - 1]) ||
		    (ahead == 0 && !isfinite(r->weight[i])))
			abort();
}

/* All that comes, or what is wrong: each row of each layer in its turn. */
static void
route(uint32_t ahead)
{
	struct k3_hidden_ask ask = { dir, k3_cpu_best(), 1, ahead };
	struct k3_err err = { .msg = "" };
	struct k3_hidden *h = k3_hidden_open(&cfg, st, &ask, &err);
	uint64_t all = h != NULL ? k3_hidden_bytes(h) : 0, bytes = 0, rows = 0;
	uint64_t each = all / (ahead > 0 ? FILES - 1 : FILES) / cfg.hidden / 4;
	struct k3_hidden_rows r;
	int got = -1;

	while (h != NULL && (got = k3_hidden_next(h, &r, &err)) == 1) {
		bytes += r.bytes;
		if (r.n == 0)
			continue;
		check(&r, ahead > 0 ? ahead : cfg.topk, ahead);
		if (rows % each != r.first ||
		    rows / each + cfg.ndense + (ahead > 0) != r.layer)
			abort();
		rows += r.n;
	}
	if (got == 0 ? bytes != 2 * all || rows * cfg.hidden * 4 != all
		     : err.code == EX_OK || *err.msg == '\0')
		abort();
	k3_hidden_close(h);
}

static void
put(unsigned layer, const uint8_t *data, size_t size, bool right)
{
	char name[K3_PACK_NAME], path[64];
	uint8_t *copy = malloc(size + 1);
	FILE *fp;

	k3_pack_name(&cfg, layer, name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
	if (copy != NULL && size > 0) {
		memcpy(copy, data, size);
		if (right && size >= K3_FORM_HEAD)
			memcpy(copy + PRINT_AT, print, K3_DIGEST128);
		if (right)
			forge(copy, size);
		fp = fopen(path, "wb");
		if (fp == NULL || fwrite(copy, 1, size, fp) != size ||
		    fclose(fp) != 0)
			abort();
	}
	free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t first;

	if (st == NULL)
		write_model();
	if (size < 4)
		return 0;
	first = k3_le_get32(data) % (size - 3);
	for (int right = 0; right < 2; right++) {
		put(cfg.ndense, data + 4, first, right);
		put(cfg.ndense + 1, data + 4 + first, size - 4 - first, right);
		route(0);
		route(3);
	}
	put(cfg.ndense, NULL, 0, false);
	put(cfg.ndense + 1, NULL, 0, false);
	return 0;
}
