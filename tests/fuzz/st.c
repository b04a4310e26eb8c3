/*
 * st.c - any bytes as a safetensors header: our scanner against jansson
 *
 * Both must accept or both refuse, and find the same tensors.  The scanner runs
 * with two sizes of buffer, as a token may stand at the end of one.  It leaves
 * duplicate keys to its caller, which jansson can't, so those are left out.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/sthead.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct list {
	struct k3_stentry *entry;
	size_t n, cap;
};

static struct k3_stentry *
add(struct list *list)
{
	if (list->n == list->cap) {
		list->cap = 2 * list->cap + 4;
		list->entry =
		    realloc(list->entry, list->cap * sizeof(*list->entry));
		if (list->entry == NULL)
			abort();
	}
	memset(&list->entry[list->n], 0, sizeof(*list->entry));
	return &list->entry[list->n++];
}

static bool
ours(const char *text, size_t size, size_t cap, struct list *list)
{
	struct k3_err err = { .msg = "" };
	struct k3_scan scan;
	struct k3_sthead head;
	struct k3_stentry entry;
	int got;

	list->n = 0;
	if (k3_scan_init(&scan, cap, &err) != 0)
		abort();
	got = k3_sthead_memory(&head, &scan, "fuzz", text, size);
	while (got == 0 && (got = k3_sthead_next(&head, &entry)) > 0) {
		*add(list) = entry;
		got = 0;
	}
	k3_scan_fini(&scan);
	if (got != 0 && (*err.msg == '\0' || strchr(err.msg, '\n') != NULL))
		abort();
	return got == 0;
}

static bool
natural(const json_t *v, uint64_t *out)
{
	*out = (uint64_t)json_integer_value(v);
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool
theirs_entry(const char *key, const json_t *v, struct k3_stentry *e)
{
	const json_t *dtype = json_object_get(v, "dtype");
	const json_t *shape = json_object_get(v, "shape");
	const json_t *offsets = json_object_get(v, "data_offsets");
	uint64_t dim;

	e->len = strlen(key);
	strncpy(e->name, key, sizeof(e->name) - 1);
	if (!json_is_string(dtype) || !json_is_array(shape) ||
	    json_array_size(offsets) != 2)
		return false;
	strncpy(e->dtype, json_string_value(dtype), sizeof(e->dtype) - 1);
	for (size_t i = 0; i < json_array_size(shape); i++) {
		if (!natural(json_array_get(shape, i), &dim))
			return false;
		if (i < K3_STHEAD_DIMS)
			e->dim[i] = dim;
	}
	e->ndim = (unsigned)json_array_size(shape);
	return natural(json_array_get(offsets, 0), &e->begin) &&
	       natural(json_array_get(offsets, 1), &e->end);
}

static bool
theirs(json_t *root, struct list *list)
{
	const char *key;
	json_t *v;

	list->n = 0;
	if (!json_is_object(root))
		return false;
	json_object_foreach(root, key, v)
	{
		if (strcmp(key, "__metadata__") == 0) {
			if (!json_is_object(v))
				return false;
		} else if (!theirs_entry(key, v, add(list))) {
			return false;
		}
	}
	return true;
}

static bool
same(const struct k3_stentry *a, const struct k3_stentry *b)
{
	if (a->len != b->len || strcmp(a->name, b->name) != 0 ||
	    strcmp(a->dtype, b->dtype) != 0 || a->ndim != b->ndim ||
	    a->begin != b->begin || a->end != b->end)
		return false;
	for (unsigned i = 0; i < a->ndim && i < K3_STHEAD_DIMS; i++)
		if (a->dim[i] != b->dim[i])
			return false;
	return true;
}

static void
compare(const struct list *a, const struct list *b)
{
	if (a->n != b->n)
		abort();
	for (size_t i = 0; i < a->n; i++)
		if (!same(&a->entry[i], &b->entry[i]))
			abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct list small = { 0 }, large = { 0 }, jansson = { 0 };
	bool ok = ours(text, size, 64, &small);
	json_error_t error = { .line = 0 };
	json_t *root = NULL;

	if (ours(text, size, 65536, &large) != ok)
		abort();
	compare(&small, &large);
	/* jansson 2.14 overlooks a NUL byte that stands behind a number. */
	if (size == 0 || memchr(text, 0, size) == NULL)
		root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (root != NULL ||
	    json_error_code(&error) != json_error_duplicate_key) {
		if (theirs(root, &jansson) != ok)
			abort();
		if (ok)
			compare(&small, &jansson);
	}
	json_decref(root);
	free(small.entry);
	free(large.entry);
	free(jansson.entry);
	return 0;
}
