/*
 * toy-shards.c - a toy's safetensors files and their index
 */
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "tests/toy.h"

#define SHARD_NAME 48

static void
shard_name(unsigned shard, unsigned nshard, char buf[SHARD_NAME])
{
	if (nshard == 1)
		snprintf(buf, SHARD_NAME, "model.safetensors");
	else
		snprintf(buf, SHARD_NAME, "model-%05u-of-%06u.safetensors",
		    shard + 1, nshard);
}

static int
by_order(const void *pa, const void *pb)
{
	const struct toy_tensor *a = pa, *b = pb;

	if (a->shard != b->shard)
		return a->shard < b->shard ? -1 : 1;
	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	return strcmp(a->name, b->name);
}

static uint64_t
dtype_rank(const char *dtype)
{
	return dtype[0] == 'F' ? 0 : dtype[0] == 'B' ? 1 : 2;
}

/* As released: a layer, the head, the projector, the vision tower. */
static unsigned
own_shard(const struct toy *toy, const struct toy_tensor *t)
{
	unsigned nlayer = toy->cfg.nlayer;

	if (t->kind != TOY_OTHER)
		return t->id.layer;
	if (t->name[0] == 'l')
		return nlayer;
	return t->name[0] == 'm' ? nlayer + 1 : nlayer + 2;
}

/* Put the tensors in the order of their data; returns the number of shards. */
static unsigned
arrange(const struct toy *toy, struct toy_tensor *t, size_t n)
{
	unsigned nshard = toy->shards;

	for (size_t i = 0; i < n; i++) {
		t[i].order = 0;
		if (toy->order == TOY_RELEASED)
			t[i].order = dtype_rank(t[i].dtype);
		else if (toy->order == TOY_SHUFFLED)
			t[i].order = toy_hash(toy->seed + 1, t[i].name);
		if (toy->shards == TOY_A_LAYER)
			t[i].shard = own_shard(toy, &t[i]);
	}
	qsort(t, n, sizeof(*t), by_order);
	if (nshard == TOY_A_LAYER)
		return toy->cfg.nlayer + 3;
	for (size_t i = 0; i < n; i++)
		t[i].shard = (unsigned)(i * nshard / n);
	return nshard;
}

static void
entry(const struct toy_tensor *t, FILE *f)
{
	fprintf(f, "\"%s\":{\"dtype\":\"%s\",\"shape\":[", t->name, t->dtype);
	for (unsigned i = 0; i < t->shape.ndim; i++)
		fprintf(f, "%s%" PRIu64, i == 0 ? "" : ",", t->shape.dim[i]);
	fprintf(f, "],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", t->off,
	    t->off + t->len);
}

/*
 * The length and the JSON of a header.  When shuffled, its order is not that
 * of the data, it has metadata, and nothing aligns the data after it.
 */
static void
header(const struct toy *toy, struct toy_tensor *t, size_t n, FILE *f)
{
	bool shuffled = toy->order == TOY_SHUFFLED;
	struct toy_tensor *v = malloc(n * sizeof(*v));
	char *text;
	size_t len;
	FILE *m = open_memstream(&text, &len);
	uint8_t le[8];

	if (v == NULL || m == NULL)
		err(EX_OSERR, "cannot make a header");
	memcpy(v, t, n * sizeof(*v));
	for (size_t i = 0; i < n && shuffled; i++)
		v[i].order = toy_hash(toy->seed + 2, v[i].name);
	qsort(v, n, sizeof(*v), by_order);
	fputs(shuffled ? "{\"__metadata__\":{\"format\":\"pt\"}," : "{", m);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputc(',', m);
		entry(&v[i], m);
	}
	fputc('}', m);
	while (!shuffled && ftell(m) % 8 != 0)
		fputc(' ', m);
	if (fclose(m) != 0)
		err(EX_OSERR, "cannot make a header");
	for (unsigned i = 0; i < 8; i++)
		le[i] = (uint8_t)((uint64_t)len >> 8 * i);
	fwrite(le, 1, sizeof(le), f);
	fwrite(text, 1, len, f);
	free(text);
	free(v);
}

static void
shard(const struct toy *toy, struct toy_tensor *t, size_t n, const char *dir,
    const char *name)
{
	FILE *f = toy_create(dir, name);
	uint64_t off = 0;

	for (size_t i = 0; i < n; i++) {
		t[i].off = off;
		off += t[i].len;
	}
	header(toy, t, n, f);
	for (size_t i = 0; i < n; i++)
		toy_weights(toy, &t[i], f);
	toy_close(f, name);
}

static void
write_index(const struct toy_tensor *t, size_t n, unsigned nshard,
    const char *dir)
{
	static const char file[] = "model.safetensors.index.json";
	FILE *f = toy_create(dir, file);
	char name[SHARD_NAME];
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		total += t[i].len;
	fprintf(f,
	    "{\n  \"metadata\": {\n    \"total_size\": %" PRIu64
	    "\n  },\n  \"weight_map\": {\n",
	    total);
	for (size_t i = 0; i < n; i++) {
		shard_name(t[i].shard, nshard, name);
		fprintf(f, "    \"%s\": \"%s\"%s\n", t[i].name, name,
		    i + 1 < n ? "," : "");
	}
	fputs("  }\n}\n", f);
	toy_close(f, file);
}

void
toy_shards(const struct toy *toy, const char *dir)
{
	char name[SHARD_NAME];
	unsigned nshard;
	size_t n, from = 0, to;
	struct toy_tensor *t = toy_tensors(toy, &n);

	nshard = arrange(toy, t, n);
	for (unsigned s = 0; s < nshard; s++) {
		for (to = from; to < n && t[to].shard == s; to++)
			continue;
		shard_name(s, nshard, name);
		shard(toy, t + from, to - from, dir, name);
		from = to;
	}
	if (toy->index)
		write_index(t, n, nshard, dir);
	free(t);
}
