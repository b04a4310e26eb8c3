/*
 * run-field.c - fields of a run report, checked one by one
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/run-field.h"
#include "common/run.h"

static int
none(const struct k3_run_place *at, const char *key)
{
	return k3_fail(at->err, EX_DATAERR, "'%s'%s: no '%s'", at->name,
	    at->where, key);
}

static int
bad(const struct k3_run_place *at, const char *key, const char *want)
{
	return k3_fail(at->err, EX_DATAERR, "'%s'%s: '%s' is not %s", at->name,
	    at->where, key, want);
}

static const struct k3_json *
typed(const struct k3_run_place *at, const struct k3_json *obj, const char *key,
    enum k3_json_type type, const char *want)
{
	const struct k3_json *value = k3_json_get(obj, key);

	if (value == NULL) {
		none(at, key);
		return NULL;
	}
	if (k3_json_type(value) == type)
		return value;
	bad(at, key, want);
	return NULL;
}

const struct k3_json *
k3_run_object(const struct k3_run_place *at, const struct k3_json *obj,
    const char *key)
{
	return typed(at, obj, key, K3_JSON_OBJECT, "an object");
}

const struct k3_json *
k3_run_array(const struct k3_run_place *at, const struct k3_json *obj,
    const char *key)
{
	return typed(at, obj, key, K3_JSON_ARRAY, "an array");
}

int
k3_run_whole(const struct k3_run_place *at, const struct k3_json *value,
    const char *key, uint64_t max, uint64_t *v)
{
	if (value == NULL)
		return none(at, key);
	if (k3_json_type(value) != K3_JSON_INT || k3_json_int(value) < 0 ||
	    (uint64_t)k3_json_int(value) > max)
		return k3_fail(at->err, EX_DATAERR,
		    "'%s'%s: '%s' is not a whole number from 0 to %" PRIu64,
		    at->name, at->where, key, max);
	*v = (uint64_t)k3_json_int(value);
	return 0;
}

int
k3_run_wholes(const struct k3_run_place *at, const struct k3_json *obj,
    const struct k3_run_field *field, size_t n, void *to)
{
	uint64_t v;

	for (size_t i = 0; i < n; i++) {
		if (k3_run_whole(at, k3_json_get(obj, field[i].key),
			field[i].key, K3_RUN_MAX_WHOLE, &v) != 0)
			return -1;
		memcpy((char *)to + field[i].at, &v, sizeof(v));
	}
	return 0;
}

/* Differences of times may have come out a rounding error below 0. */
int
k3_run_reals(const struct k3_run_place *at, const struct k3_json *obj,
    const struct k3_run_field *field, size_t n, void *to)
{
	for (size_t i = 0; i < n; i++) {
		const struct k3_json *value = k3_json_get(obj, field[i].key);
		double v = -1;

		if (value == NULL)
			return none(at, field[i].key);
		if (k3_json_type(value) == K3_JSON_INT ||
		    k3_json_type(value) == K3_JSON_REAL)
			v = k3_json_real(value);
		if (!(v >= -1e-6 && v <= K3_RUN_MAX_SECONDS))
			return k3_fail(at->err, EX_DATAERR,
			    "'%s'%s: '%s' is not a number from 0 to %g",
			    at->name, at->where, field[i].key,
			    K3_RUN_MAX_SECONDS);
		v = v > 0 ? v : 0;
		memcpy((char *)to + field[i].at, &v, sizeof(v));
	}
	return 0;
}

int
k3_run_text(const struct k3_run_place *at, const struct k3_json *obj,
    const char *key, char *text, size_t size)
{
	const struct k3_json *value =
	    typed(at, obj, key, K3_JSON_STRING, "a text");
	const char *from;
	size_t len;

	if (value == NULL)
		return -1;
	from = k3_json_string(value, &len);
	if (len >= size)
		return bad(at, key, "short");
	for (size_t i = 0; i < len; i++)
		if (from[i] < ' ' || from[i] > '~')
			return bad(at, key, "printable ASCII");
	memcpy(text, from, len + 1);
	return 0;
}

int
k3_run_hex(const struct k3_run_place *at, const struct k3_json *obj,
    const char *key, char *text, size_t n)
{
	if (k3_run_text(at, obj, key, text, n + 1) != 0)
		return -1;
	if (strlen(text) != n || strspn(text, "0123456789abcdef") != n)
		return k3_fail(at->err, EX_DATAERR,
		    "'%s'%s: '%s' is not %zu hexadecimal digits", at->name,
		    at->where, key, n);
	return 0;
}
