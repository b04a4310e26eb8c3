/*
 * toys.c - toys have the same bytes everywhere, open, and do not depend on
 * how they are split
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/digest.h"
#include "common/pack.h"
#include "common/st.h"
#include "common/tok.h"
#include "tests/tap.h"
#include "tests/toy.h"

static struct k3_err err;
static struct k3_cfg cfg;

/*
 * Of all files by name: XXH3-64 over their digests.  The recorded vectors are
 * those of these bytes.
 */
static const struct {
	const char *name;
	uint64_t digest;
} known[] = {
	{ "thirteen", 0x71190db9a326f347 },
	{ "odd", 0xf5832077f5a09cd2 },
	{ "wide", 0xf71053831e7cfa51 },
	{ "mixed", 0x56858e52e0596e62 },
	{ "tiny", 0xc9d46cb79b1c54c8 },
	{ "tall", 0x92e5d31905bd8813 },
	{ "big", 0xdbe791a94b8d5a7a },
};

static int
visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static uint64_t
file_digest(const char *path)
{
	struct k3_digest *d = k3_digest_open(K3_DIGEST_64, &err);
	FILE *f = fopen(path, "rb");
	char buf[65536];
	uint64_t digest;
	size_t n;

	if (d == NULL || f == NULL)
		abort();
	k3_digest_add(d, path, strlen(path));
	while ((n = fread(buf, 1, sizeof(buf), f)) > 0)
		k3_digest_add(d, buf, n);
	digest = k3_digest_get64(d);
	k3_digest_close(d);
	fclose(f);
	return digest;
}

/* The digest of the current folder, which is left empty. */
static uint64_t
drain(void)
{
	struct dirent **file;
	uint64_t digest[128];
	int n = scandir(".", &file, visible, alphasort);

	if (n < 0 || n > 128)
		abort();
	for (int i = 0; i < n; i++) {
		digest[i] = file_digest(file[i]->d_name);
		unlink(file[i]->d_name);
		free(file[i]);
	}
	free(file);
	return k3_digest64(digest, (size_t)n * sizeof(digest[0]));
}

static struct k3_st *
open_here(void)
{
	struct k3_st *st = NULL;

	if (k3_cfg_load(&cfg, ".", &err) == 0)
		st = k3_st_open(".", &cfg, &err);
	if (st == NULL)
		diag("%s", err.msg);
	return st;
}

static void
check_tokenizer(const struct toy *toy)
{
	struct k3_tok tok;
	size_t len;
	bool named;

	if (!ok(k3_tok_open(&tok, ".", &err) == 0, "its tokenizer opens")) {
		diag("%s", err.msg);
		return;
	}
	named = tok.size == cfg.vocab && k3_tok_special(&tok, cfg.bos) &&
		!k3_tok_special(&tok, cfg.bos - 1) &&
		strncmp(k3_tok_bytes(&tok, cfg.eos, &len), "<|end_of_msg|>",
		    14) == 0;
	ok(named, "%u ids, %u special, of them the stop id", tok.size,
	    toy->nspecial);
	k3_tok_close(&tok);
}

static void
check_known(const char *name, uint64_t want)
{
	struct toy toy;
	struct k3_st *st;
	uint64_t got;

	if (!toy_find(name, &toy))
		abort();
	toy_write(&toy, ".");
	st = open_here();
	ok(st != NULL, "%s: opens", name);
	k3_st_close(st);
	check_tokenizer(&toy);
	got = drain();
	if (!ok(got == want, "%s: the bytes that the vectors are of", name))
		diag("got 0x%016" PRIx64 ", want 0x%016" PRIx64, got, want);
}

static void
add(struct k3_digest *d, struct k3_st *st, struct k3_loc loc)
{
	void *buf = malloc(loc.len);

	if (buf == NULL ||
	    k3_st_read(st, loc.file, loc.off, buf, loc.len, "x", &err) != 0)
		abort();
	k3_digest_add(d, &loc.dtype, 1);
	k3_digest_add(d, buf, loc.len);
	free(buf);
}

/* Of the dtype and the bytes of every tensor that the model needs. */
static uint64_t
tensor_digest(struct k3_st *st)
{
	struct k3_digest *d = k3_digest_open(K3_DIGEST_64, &err);
	struct k3_shape shape;
	uint64_t digest;

	for (unsigned i = 0; i <= cfg.nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (k3_tensor_shape(&cfg, i, (enum k3_tensor)t, &shape))
				add(d, st,
				    k3_st_tensor(st, i, (enum k3_tensor)t));
	for (unsigned i = cfg.ndense; i < cfg.nlayer; i++)
		for (unsigned e = 0; e < cfg.experts; e++)
			for (unsigned p = 0; p < K3_NPART; p++)
				add(d, st,
				    k3_st_part(st, i, e, (enum k3_part)p));
	digest = k3_digest_get64(d);
	k3_digest_close(d);
	return digest;
}

/* 'first' are the digests to equal, or to fill in if there are none yet. */
static void
check_split(struct toy toy, unsigned shards, enum toy_order order, bool index,
    uint8_t first[K3_DIGEST128], uint64_t *tensors)
{
	uint8_t print[K3_DIGEST128];
	struct k3_st *st;
	uint64_t digest;

	toy.shards = shards;
	toy.order = order;
	toy.index = index;
	toy_write(&toy, ".");
	st = open_here();
	if (!ok(st != NULL, "%s: %u shards, order %u, opens", toy.name, shards,
		order))
		return;
	digest = tensor_digest(st);
	if (k3_fingerprint(&cfg, st, print, &err) != 0)
		abort();
	if (*tensors == 0) {
		*tensors = digest;
		memcpy(first, print, sizeof(print));
	}
	ok(digest == *tensors, "the same tensors");
	ok(memcmp(print, first, sizeof(print)) == 0, "the same fingerprint");
	k3_st_close(st);
	drain();
}

static void
check_splits(const char *name)
{
	uint8_t first[K3_DIGEST128];
	uint64_t tensors = 0;
	struct toy toy;

	toy_find(name, &toy);
	check_split(toy, 1, TOY_NAME, false, first, &tensors);
	check_split(toy, 1, TOY_SHUFFLED, true, first, &tensors);
	check_split(toy, 17, TOY_RELEASED, true, first, &tensors);
	check_split(toy, TOY_A_LAYER, TOY_RELEASED, false, first, &tensors);
	check_split(toy, TOY_A_LAYER, TOY_SHUFFLED, true, first, &tensors);
}

static void
check_seeds(void)
{
	struct toy toy;
	uint64_t first;

	toy_find("tiny", &toy);
	toy_write(&toy, ".");
	first = drain();
	toy.seed++;
	toy_write(&toy, ".");
	ok(drain() != first, "another seed: other bytes");
}

int
main(void)
{
	char dir[] = "/tmp/k3-toys-XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		abort();
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		check_known(known[i].name, known[i].digest);
	check_splits("tiny");
	check_splits("mixed");
	check_seeds();
	rmdir(dir);
	return tap_done();
}
