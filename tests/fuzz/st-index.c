/*
 * st-index.c - any bytes as model.safetensors.index.json, against jansson
 *
 * As in st.c: the same verdict and the same entries, whatever the buffer.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/stindex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct entry {
	char name[K3_STINDEX_NAME], file[K3_STINDEX_NAME];
	size_t len, file_len;
};

struct list {
	struct entry *entry;
	size_t n, cap;
};

static struct entry *
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
	struct k3_stindex index;
	struct entry *e;
	int got;

	list->n = 0;
	if (k3_scan_init(&scan, cap, &err) != 0)
		abort();
	got = k3_stindex_memory(&index, &scan, "fuzz", text, size);
	while (got == 0 && (got = k3_stindex_next(&index)) > 0) {
		e = add(list);
		strcpy(e->name, index.name);
		strcpy(e->file, index.file);
		e->len = index.len;
		e->file_len = index.file_len;
		got = 0;
	}
	k3_scan_fini(&scan);
	if (got != 0 && (*err.msg == '\0' || strchr(err.msg, '\n') != NULL))
		abort();
	return got == 0;
}

static bool
theirs(json_t *root, struct list *list)
{
	json_t *map = json_object_get(root, "weight_map"), *v;
	const char *key;
	struct entry *e;

	list->n = 0;
	if (!json_is_object(map))
		return false;
	json_object_foreach(map, key, v)
	{
		if (!json_is_string(v))
			return false;
		e = add(list);
		e->len = strlen(key);
		e->file_len = json_string_length(v);
		strncpy(e->name, key, sizeof(e->name) - 1);
		strncpy(e->file, json_string_value(v), sizeof(e->file) - 1);
	}
	return true;
}

static void
compare(const struct list *a, const struct list *b)
{
	if (a->n != b->n)
		abort();
	for (size_t i = 0; i < a->n; i++)
		if (a->entry[i].len != b->entry[i].len ||
		    a->entry[i].file_len != b->entry[i].file_len ||
		    strcmp(a->entry[i].name, b->entry[i].name) != 0 ||
		    strcmp(a->entry[i].file, b->entry[i].file) != 0)
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
