/*
 * pack-show.c - k3-pack --plan and --list
 */
#include <inttypes.h>
#include <string.h>

#include "tools/pack.h"
#include "tools/tool.h"

static const char *const state_name[] = {
	[K3_PACK_READY] = "ready",
	[K3_PACK_MISSING] = "write",
	[K3_PACK_DAMAGED] = "damaged",
	[K3_PACK_FOREIGN] = "foreign",
};

void
pack_plan(struct pack *p)
{
	uint64_t total = 0, missing = 0, size;
	uint32_t n, ntensor = 0;

	printf("%-12s %15s %8s  %s\n", "file", "bytes", "tensors", "state");
	for (unsigned i = p->first; i <= p->last; i++) {
		char name[K3_PACK_NAME];
		enum k3_pack_state state;
		struct k3_layer *l;
		struct k3_err err;

		k3_pack_name(&p->cfg, i, name);
		size = pack_size(p, i, &n);
		state = pack_look(p, i, &l, &err);
		k3_layer_close(l);
		printf("%-12s %15" PRIu64 " %8" PRIu32 "  %s\n", name, size, n,
		    state_name[state]);
		total += size;
		ntensor += n;
		if (state != K3_PACK_READY)
			missing += size;
	}
	printf("%-12s %15" PRIu64 " %8" PRIu32 "\n", "total", total, ntensor);
	printf("%-12s %15" PRIu64 "\n", "to write", missing);
	printf("%-12s %15" PRIu64 "\n", "free", pack_free(p));
}

static void
print_shape(const struct k3_layer_tensor *t)
{
	char text[4 * 21 + 1] = "", *end = text;

	for (unsigned i = 0; i < t->ndim; i++)
		end += sprintf(end, "%s%" PRIu64, i > 0 ? "x" : "", t->dim[i]);
	printf(" %-14s", text);
}

static void
print_table(const struct k3_layer *l)
{
	static const char *const dtype[K3_NDTYPE] = { "F32", "BF16", "U8",
		"U32" };
	char fingerprint[K3_HEX128];

	k3_digest_hex(l->fingerprint, fingerprint);
	printf("kind        %s\nlayer       %" PRIu32 "\nfingerprint %s\n"
	       "payload     %" PRIu64 " bytes at %" PRIu64 "\n",
	    k3_layer_kind_name(l->kind), l->layer, fingerprint, l->len, l->off);
	if (l->block_rows > 0)
		printf("rows        %" PRIu64 " in blocks of %" PRIu32 "\n",
		    l->rows, l->block_rows);
	printf("\n%12s %12s %-5s %-14s %-16s %s\n", "offset", "bytes", "dtype",
	    "shape", "digest", "name");
	for (uint32_t i = 0; i < l->ntensor; i++) {
		const struct k3_layer_tensor *t = &l->tensor[i];

		if (t->grows)
			printf("%12s", "blocks");
		else
			printf("%12" PRIu64, t->off);
		printf(" %12" PRIu64 " %-5s", t->len, dtype[t->dtype]);
		print_shape(t);
		printf(" %016" PRIx64 " %s\n", t->digest, t->name);
	}
}

/* On a pipe the digests stand at the end: all is read, and thus checked. */
static void
list_stream(FILE *fp, const char *name)
{
	struct k3_err err;
	struct k3_layer_stream *s = k3_layer_stream_open(fp, name, &err);
	struct k3_layer_piece piece;
	int got = -1;

	if (s != NULL)
		while ((got = k3_layer_next(s, &piece, &err)) == 1)
			;
	if (got == -1)
		tool_die(&err);
	print_table(k3_layer_stream_head(s));
	k3_layer_stream_close(s);
}

void
pack_list(const char *file)
{
	struct k3_layer *l;
	struct k3_err err;

	if (strcmp(file, "-") == 0) {
		list_stream(stdin, "<stdin>");
		return;
	}
	l = k3_layer_open(file, &err);
	if (l != NULL)
		print_table(l);
	else
		tool_die(&err);
	k3_layer_close(l);
}
