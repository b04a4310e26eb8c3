/*
 * toy-list.c - which tensors a toy has
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "tests/toy.h"

struct list {
	struct toy_tensor *v;
	size_t n, room;
};

static struct toy_tensor *
push(struct list *list)
{
	if (list->n == list->room) {
		list->room = list->room * 2 + 64;
		list->v = realloc(list->v, list->room * sizeof(*list->v));
		if (list->v == NULL)
			err(EX_OSERR, "cannot list the tensors");
	}
	memset(&list->v[list->n], 0, sizeof(*list->v));
	return &list->v[list->n++];
}

static void
size(struct toy_tensor *t, const char *dtype, unsigned bytes)
{
	t->dtype = dtype;
	t->len = k3_shape_count(&t->shape) * bytes;
}

static void
dense(const struct toy *toy, unsigned layer, struct list *list)
{
	struct k3_shape shape;

	for (unsigned i = 0; i < K3_NTENSOR; i++) {
		struct toy_tensor *t;
		enum k3_tensor kind = (enum k3_tensor)i;
		bool wide = k3_tensor_dtype(kind) == K3_F32;

		if (!k3_tensor_shape(&toy->cfg, layer, kind, &shape))
			continue;
		t = push(list);
		k3_tensor_name(layer, kind, t->name);
		t->kind = TOY_TRUNK;
		t->id.layer = layer;
		t->id.t = kind;
		t->shape = shape;
		if (toy->mixed && toy_hash(toy->seed, t->name) % 3 == 0)
			wide = !wide;
		size(t, wide ? "F32" : "BF16", wide ? 4 : 2);
	}
}

static void
experts(const struct toy *toy, unsigned layer, struct list *list)
{
	for (unsigned e = 0; e < toy->cfg.experts; e++)
		for (unsigned p = 0; p < K3_NPART; p++) {
			struct toy_tensor *t = push(list);

			t->kind = TOY_PART;
			t->id.layer = layer;
			t->id.expert = e;
			t->id.part = (enum k3_part)p;
			k3_part_name(layer, e, t->id.part, t->name);
			k3_part_shape(&toy->cfg, t->id.part, &t->shape);
			size(t, "U8", 1);
		}
}

/* Tensors that no text model needs, one of a dtype that it does not know. */
static void
others(struct list *list)
{
	static const struct {
		const char *name, *dtype;
		unsigned bytes;
		struct k3_shape shape;
	} other[] = {
		{ "language_model.model.rotary_emb.inv_freq", "F32", 4,
		    { 1, { 3 } } },
		{ "mm_projector.post_norm.weight", "BF16", 2, { 1, { 5 } } },
		{ "vision_tower.patch_embed.num_batches_tracked", "I64", 8,
		    { 0, { 0 } } },
		{ "vision_tower.patch_embed.pos_emb.weight", "BF16", 2,
		    { 3, { 2, 2, 3 } } },
	};

	for (unsigned i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		struct toy_tensor *t = push(list);

		snprintf(t->name, sizeof(t->name), "%s", other[i].name);
		t->kind = TOY_OTHER;
		t->shape = other[i].shape;
		size(t, other[i].dtype, other[i].bytes);
	}
}

struct toy_tensor *
toy_tensors(const struct toy *toy, size_t *n)
{
	struct list list = { NULL, 0, 0 };

	for (unsigned i = 0; i <= toy->cfg.nlayer; i++) {
		dense(toy, i, &list);
		if (i >= toy->cfg.ndense && i < toy->cfg.nlayer)
			experts(toy, i, &list);
	}
	others(&list);
	*n = list.n;
	return list.v;
}
