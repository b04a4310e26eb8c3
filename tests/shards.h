/*
 * shards.h - small checkpoints for tests: any split, order and spelling
 *
 * shards_fill() lists what a config needs; a test changes the list, and
 * shards_write() puts it into a temporary folder.  A tensor's data is a pattern
 * of its number, so that reading it back proves its place.
 */
#ifndef K3_TESTS_SHARDS_H
#define K3_TESTS_SHARDS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/tensors.h"

#define SHARDS_MAX 400

struct shard_tensor {
	char name[K3_NAME_MAX];
	const char *dtype;
	struct k3_shape shape;
	unsigned file;       /* from 0 */
	const char *offsets; /* what the header says instead of the truth */
	const char *index;   /* the file that the index names instead */
	bool silent;         /* the index does not list it */
	/* where it was written */
	uint64_t off, len;
};

struct shards {
	char dir[32];
	struct shard_tensor t[SHARDS_MAX];
	unsigned n, nfile;
	const char *format;   /* of a file's name, from number and total */
	bool index, metadata; /* write them */
	bool blanks, escapes; /* in the JSON */
	unsigned leave_out;   /* do not write this file: number from 1 */
};

static inline struct shard_tensor *
shards_add(struct shards *s, const char *name, const char *dtype,
    const struct k3_shape *shape)
{
	struct shard_tensor *t = &s->t[s->n++];

	if (s->n > SHARDS_MAX)
		abort();
	memset(t, 0, sizeof(*t));
	strcpy(t->name, name);
	t->dtype = dtype;
	t->shape = *shape;
	return t;
}

/* All tensors that 'cfg' needs, in one file. */
static inline void
shards_fill(struct shards *s, const struct k3_cfg *cfg)
{
	static const char *const dtype[] = { "F32", "BF16", "U8" };
	char name[K3_NAME_MAX];
	struct k3_shape shape;

	memset(s, 0, sizeof(*s));
	strcpy(s->dir, "/tmp/k3-shards-XXXXXX");
	if (mkdtemp(s->dir) == NULL)
		abort();
	s->nfile = 1;
	s->format = "model-%05u-of-%06u.safetensors";
	for (unsigned l = 0; l <= cfg->nlayer; l++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (k3_tensor_shape(cfg, l, (enum k3_tensor)t,
				&shape)) {
				k3_tensor_name(l, (enum k3_tensor)t, name);
				shards_add(s, name,
				    dtype[k3_tensor_dtype((enum k3_tensor)t)],
				    &shape);
			}
	for (unsigned l = cfg->ndense; l < cfg->nlayer; l++)
		for (unsigned e = 0; e < cfg->experts; e++)
			for (unsigned p = 0; p < K3_NPART; p++) {
				k3_part_name(l, e, (enum k3_part)p, name);
				k3_part_shape(cfg, (enum k3_part)p, &shape);
				shards_add(s, name, "U8", &shape);
			}
}

static inline struct shard_tensor *
shards_find(struct shards *s, const char *name)
{
	for (unsigned i = 0; i < s->n; i++)
		if (strcmp(s->t[i].name, name) == 0)
			return &s->t[i];
	abort();
}

static inline uint8_t
shards_byte(const char *name, uint64_t i)
{
	unsigned h = 7;

	while (*name != '\0')
		h = h * 31 + (unsigned char)*name++;
	return (uint8_t)(h + i * 131);
}

static inline void
shards_path(const struct shards *s, unsigned file, char path[128])
{
	int n = snprintf(path, 128, "%s/", s->dir);

	/* The format is a test's own. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(path + n, 128 - (size_t)n, s->format, file + 1, s->nfile);
#pragma GCC diagnostic pop
}

/* A string; with 'escapes', every third character as \uXXXX. */
static inline void
shards_string(const struct shards *s, FILE *fp, const char *text)
{
	putc('"', fp);
	for (unsigned i = 0; text[i] != '\0'; i++)
		if (s->escapes && i % 3 == 1)
			fprintf(fp, "\\u%04X", (unsigned char)text[i]);
		else
			putc(text[i], fp);
	putc('"', fp);
}

/* The header's JSON for one file; sets len, and off from the data's start. */
static inline void
shards_header(struct shards *s, unsigned file, FILE *fp)
{
	const char *b = s->blanks ? " \t\r\n " : "";
	const char *comma = "";
	uint64_t off = 0;

	fprintf(fp, "%s{%s", b, b);
	if (s->metadata) {
		fprintf(fp, "\"__metadata__\":{\"format\":\"pt\"}");
		comma = ",";
	}
	for (unsigned i = 0; i < s->n; i++) {
		struct shard_tensor *t = &s->t[i];

		if (t->file != file)
			continue;
		t->len = k3_shape_count(&t->shape) *
			 (strcmp(t->dtype, "F32") == 0 ? 4
			     : *t->dtype == 'U'        ? 1
						       : 2);
		t->off = off;
		off += t->len;
		fprintf(fp, "%s%s", comma, b);
		comma = ",";
		shards_string(s, fp, t->name);
		fprintf(fp, "%s:%s{\"dtype\":%s\"%s\"%s,\"shape\":[", b, b, b,
		    t->dtype, b);
		for (unsigned d = 0; d < t->shape.ndim; d++)
			fprintf(fp, "%s%s%" PRIu64, d == 0 ? "" : ",", b,
			    t->shape.dim[d]);
		fprintf(fp, "%s],\"data_offsets\"%s:", b, b);
		if (t->offsets != NULL)
			fprintf(fp, "%s}", t->offsets);
		else
			fprintf(fp, "[%" PRIu64 ",%s%" PRIu64 "%s]}", t->off, b,
			    off, b);
	}
	fprintf(fp, "%s}%s", b, b);
}

static inline void
shards_write_file(struct shards *s, unsigned file)
{
	char path[128], *text = NULL;
	size_t len = 0;
	FILE *fp = open_memstream(&text, &len);

	shards_header(s, file, fp);
	fclose(fp);
	shards_path(s, file, path);
	if ((fp = fopen(path, "wb")) == NULL)
		abort();
	for (unsigned i = 0; i < 8; i++)
		putc((int)(len >> 8 * i & 0xff), fp);
	fwrite(text, 1, len, fp);
	free(text);
	for (unsigned i = 0; i < s->n; i++) {
		struct shard_tensor *t = &s->t[i];

		if (t->file != file)
			continue;
		t->off += 8 + len;
		for (uint64_t k = 0; k < t->len; k++)
			putc(shards_byte(t->name, k), fp);
	}
	fclose(fp);
}

static inline void
shards_write_index(struct shards *s)
{
	char path[128], name[128];
	const char *comma = "";
	FILE *fp;

	snprintf(path, sizeof(path), "%s/model.safetensors.index.json", s->dir);
	if ((fp = fopen(path, "wb")) == NULL)
		abort();
	fprintf(fp, "{\"metadata\":{\"total_size\":1e3},\n\"weight_map\":{");
	for (unsigned i = 0; i < s->n; i++) {
		if (s->t[i].silent)
			continue;
		shards_path(s, s->t[i].file, name);
		fprintf(fp, "%s\n", comma);
		shards_string(s, fp, s->t[i].name);
		fprintf(fp, ": ");
		shards_string(s, fp,
		    s->t[i].index != NULL ? s->t[i].index
					  : strrchr(name, '/') + 1);
		comma = ",";
	}
	fprintf(fp, "}}\n");
	fclose(fp);
}

static inline void
shards_write(struct shards *s)
{
	for (unsigned f = 0; f < s->nfile; f++)
		if (f + 1 != s->leave_out)
			shards_write_file(s, f);
	if (s->index)
		shards_write_index(s);
}

static inline void
shards_remove(const struct shards *s)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", s->dir);
	if (system(cmd) != 0)
		abort();
}

/* The smallest config that has every kind of tensor. */
static inline void
shards_config(struct k3_cfg *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->hidden = 2;
	cfg->nlayer = 3;
	cfg->vocab = cfg->max_pos = 3;
	cfg->ndense = 1;
	cfg->dense = 2;
	cfg->res_block = 2;
	cfg->kda_heads = cfg->kda_dim = cfg->kda_width = 1;
	cfg->heads = cfg->q_lora = cfg->kv_lora = 1;
	cfg->nope = cfg->rope = cfg->v_dim = 1;
	cfg->experts = 6;
	cfg->topk = cfg->shared = 1;
	cfg->moe = cfg->latent = 32;
	cfg->mla[1] = true;
}

#endif
