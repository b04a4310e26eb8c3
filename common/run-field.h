/*
 * run-field.h - fields of a run report, checked one by one
 *
 * For run.c alone.  Each function returns 0, or -1 with EX_DATAERR and a text
 * that names file, place and field.
 */
#ifndef K3_COMMON_RUN_FIELD_H
#define K3_COMMON_RUN_FIELD_H

#include "common/json.h"

/* Where fields are read from. */
struct k3_run_place {
	const char *name; /* the file */
	char where[32];   /* "" or " pass 3": follows the name in messages */
	struct k3_err *err;
};

/* A key, and the offset in a struct of what it fills in. */
struct k3_run_field {
	const char *key;
	size_t at;
};

/* The object or the array at a key; NULL if there is none. */
const struct k3_json *k3_run_object(const struct k3_run_place *at,
    const struct k3_json *obj, const char *key);
const struct k3_json *k3_run_array(const struct k3_run_place *at,
    const struct k3_json *obj, const char *key);

/* A whole number up to 'max'; of an array too, with its name as 'key'. */
int k3_run_whole(const struct k3_run_place *at, const struct k3_json *value,
    const char *key, uint64_t max, uint64_t *v);

/* The fields of a table, all uint64_t or all double, into the struct 'to'. */
int k3_run_wholes(const struct k3_run_place *at, const struct k3_json *obj,
    const struct k3_run_field *field, size_t n, void *to);
int k3_run_reals(const struct k3_run_place *at, const struct k3_json *obj,
    const struct k3_run_field *field, size_t n, void *to);

/* A text of printable ASCII, shorter than 'size'. */
int k3_run_text(const struct k3_run_place *at, const struct k3_json *obj,
    const char *key, char *text, size_t size);

/* A text of 'n' hexadecimal digits, and its NUL. */
int k3_run_hex(const struct k3_run_place *at, const struct k3_json *obj,
    const char *key, char *text, size_t n);

#endif
