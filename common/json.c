/*
 * json.c - JSON documents, by jansson
 */
#include <stdarg.h>
#include <stdlib.h>

#include <jansson.h>

#include "common/buf.h"
#include "common/json.h"

/* Digits that any int64_t has room for. */
#define INT_DIGITS 18

/* jansson wants plain pointers even where it only reads. */
static json_t *
plain(const struct k3_json *json)
{
	return (json_t *)(uintptr_t)json;
}

/*
 * Copy the text with "e0" after each integer of more digits than 64 bits
 * surely hold, which makes it a real.  jansson itself refuses the document, or
 * turns each and every integer into a real.
 */
static int
widen(struct k3_buf *out, const char *text, size_t len, struct k3_err *err)
{
	bool string = false;
	size_t done = 0, i = 0;

	while (i < len) {
		size_t start = i;

		if (string || text[i] < '0' || text[i] > '9') {
			if (string && text[i] == '\\' && i + 1 < len)
				i++;
			else if (text[i] == '"')
				string = !string;
			i++;
			continue;
		}
		while (i < len && text[i] >= '0' && text[i] <= '9')
			i++;
		if (i - start <= INT_DIGITS ||
		    (start > 0 &&
			(text[start - 1] == '.' || text[start - 1] == 'e' ||
			    text[start - 1] == 'E' ||
			    text[start - 1] == '+')) ||
		    (i < len &&
			(text[i] == '.' || text[i] == 'e' || text[i] == 'E')))
			continue;
		if (k3_buf_put(out, text + done, i - done, err) != 0 ||
		    k3_buf_put(out, "e0", 2, err) != 0)
			return -1;
		done = i;
	}
	return k3_buf_put(out, text + done, len - done, err);
}

static void
bad_text(struct k3_err *err, const char *name, json_error_t *error)
{
	if (json_error_code(error) == json_error_out_of_memory) {
		k3_fail(err, EX_OSERR, "cannot parse '%s': out of memory",
		    name);
		return;
	}
	k3_fail(err, EX_DATAERR, "'%s' line %d column %d: %s", name,
	    error->line, error->column, error->text);
}

/*
 * jansson 2.14 drops a byte of a string where memory ends, and then may abort.
 * So ask first for as much as it can take, and give it back: what a value, an
 * array, an object takes (glibc, 64 bits), and a text twice while it grows.
 */
static int
reserve(const char *text, size_t len, const char *name, struct k3_err *err)
{
	size_t most = 65536 + 4 * len;
	void *volatile room;

	for (size_t i = 0; i < len; i++)
		switch (text[i]) {
		case '{':
			most += 512;
			break;
		case '[':
		case ',':
		case ':':
			most += 160;
			break;
		}
	if ((room = malloc(most)) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot parse '%s': out of memory", name);
	free(room);
	return 0;
}

struct k3_json *
k3_json_parse(const char *text, size_t len, const char *name,
    struct k3_err *err)
{
	size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
	struct k3_buf wide = { 0 };
	json_error_t error, again;
	json_t *json;

	/* jansson has no word for a buffer that is NULL and empty. */
	if (len == 0)
		text = "";
	if (reserve(text, len, name, err) != 0)
		return NULL;
	json = json_loadb(text, len, flags, &error);
	if (json == NULL &&
	    json_error_code(&error) == json_error_numeric_overflow) {
		if (widen(&wide, text, len, err) != 0)
			goto out;
		json = json_loadb(wide.data, wide.len, flags, &again);
		if (json == NULL &&
		    json_error_code(&again) != json_error_numeric_overflow)
			error = again;
	}
	if (json == NULL)
		bad_text(err, name, &error);
out:
	k3_buf_fini(&wide);
	return (struct k3_json *)json;
}

struct k3_json *
k3_json_load(const char *path, struct k3_err *err)
{
	struct k3_buf buf = { 0 };
	struct k3_json *json = NULL;

	if (k3_buf_load(&buf, path, err) == 0)
		json = k3_json_parse(buf.data, buf.len, path, err);
	k3_buf_fini(&buf);
	return json;
}

void
k3_json_free(struct k3_json *json)
{
	json_decref((json_t *)json);
}

enum k3_json_type
k3_json_type(const struct k3_json *json)
{
	switch (json_typeof(plain(json))) {
	case JSON_OBJECT:
		return K3_JSON_OBJECT;
	case JSON_ARRAY:
		return K3_JSON_ARRAY;
	case JSON_STRING:
		return K3_JSON_STRING;
	case JSON_INTEGER:
		return K3_JSON_INT;
	case JSON_REAL:
		return K3_JSON_REAL;
	case JSON_TRUE:
	case JSON_FALSE:
		return K3_JSON_BOOL;
	case JSON_NULL:
	default:
		return K3_JSON_NULL;
	}
}

const struct k3_json *
k3_json_get(const struct k3_json *obj, const char *key)
{
	return (const struct k3_json *)json_object_get(plain(obj), key);
}

int64_t
k3_json_int(const struct k3_json *json)
{
	return json_integer_value(plain(json));
}

bool
k3_json_bool(const struct k3_json *json)
{
	return json_is_true(plain(json));
}

double
k3_json_real(const struct k3_json *json)
{
	return json_number_value(plain(json));
}

const char *
k3_json_string(const struct k3_json *json, size_t *len)
{
	if (len != NULL)
		*len = json_string_length(plain(json));
	return json_string_value(plain(json));
}

size_t
k3_json_size(const struct k3_json *json)
{
	return json_is_array(plain(json)) ? json_array_size(plain(json))
					  : json_object_size(plain(json));
}

const struct k3_json *
k3_json_at(const struct k3_json *array, size_t i)
{
	return (const struct k3_json *)json_array_get(plain(array), i);
}

int
k3_json_each(const struct k3_json *obj,
    int (*fn)(const char *key, const struct k3_json *value, void *arg),
    void *arg)
{
	json_t *json = plain(obj);
	int stop = 0;

	for (void *it = json_object_iter(json); it != NULL && stop == 0;
	     it = json_object_iter_next(json, it))
		stop = fn(json_object_iter_key(it),
		    (const struct k3_json *)json_object_iter_value(it), arg);
	return stop;
}

struct k3_json *
k3_json_pack(const char *fmt, ...)
{
	va_list ap;
	json_t *json;

	va_start(ap, fmt);
	json = json_vpack_ex(NULL, 0, fmt, ap);
	va_end(ap);
	return (struct k3_json *)json;
}

struct k3_json *
k3_json_push(struct k3_json *array, struct k3_json *value)
{
	if (array == NULL || value == NULL) {
		k3_json_free(array);
		k3_json_free(value);
		return NULL;
	}
	if (json_array_append_new((json_t *)array, (json_t *)value) == 0)
		return array;
	k3_json_free(array);
	return NULL;
}

struct k3_json *
k3_json_set(struct k3_json *obj, const char *key, struct k3_json *value)
{
	if (obj == NULL || value == NULL) {
		k3_json_free(obj);
		k3_json_free(value);
		return NULL;
	}
	if (json_object_set_new((json_t *)obj, key, (json_t *)value) == 0)
		return obj;
	k3_json_free(obj);
	return NULL;
}

int
k3_json_write(struct k3_json *json, bool indent, FILE *fp, const char *name,
    struct k3_err *err)
{
	size_t flags =
	    JSON_REAL_PRECISION(15) | (indent ? JSON_INDENT(2) : JSON_COMPACT);
	int ret;

	if (json == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot write '%s': out of memory", name);
	ret = json_dumpf((json_t *)json, fp, flags);
	k3_json_free(json);
	if (ret == 0 && !ferror(fp))
		return 0;
	return k3_fail_errno(err, EX_IOERR, "cannot write '%s'", name);
}
