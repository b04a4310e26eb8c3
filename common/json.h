/*
 * json.h - JSON documents, by jansson (json.c is the only file that knows it)
 *
 * A value is a pointer into its document and lives as long as that.  Documents
 * are not changed once loaded, so threads may share one.  Text is UTF-8, by
 * jansson's check; keys hold no NUL byte.
 *
 * An integer that 64 bits cannot hold is a K3_JSON_REAL: tokenizer_config.json
 * of released models has model_max_length 1000000000000000019884624838656.
 */
#ifndef K3_COMMON_JSON_H
#define K3_COMMON_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

struct k3_json; /* opaque */

enum k3_json_type {
	K3_JSON_NULL,
	K3_JSON_BOOL,
	K3_JSON_INT,
	K3_JSON_REAL,
	K3_JSON_STRING,
	K3_JSON_ARRAY,
	K3_JSON_OBJECT
};

/*
 * The document in the file at 'path', or NULL: EX_NOINPUT, EX_IOERR, or
 * EX_DATAERR with line and column for what is not one array or object, has an
 * object with the same key twice, or more than 2048 levels.
 */
struct k3_json *k3_json_load(const char *path, struct k3_err *err);

/* The same from memory; 'name' stands for it in messages. */
struct k3_json *k3_json_parse(const char *text, size_t len, const char *name,
    struct k3_err *err);

/* Free a document that load or parse gave, and no other value; NULL is fine. */
void k3_json_free(struct k3_json *json);

/* The type of a value, which must not be NULL. */
enum k3_json_type k3_json_type(const struct k3_json *json);

/* The value at a key; NULL if there is none, or 'obj' is no object or NULL. */
const struct k3_json *k3_json_get(const struct k3_json *obj, const char *key);

/* What a value of that very type holds; 0 or false for any other. */
int64_t k3_json_int(const struct k3_json *json);
bool k3_json_bool(const struct k3_json *json);

/* What a K3_JSON_INT or K3_JSON_REAL holds; 0 for any other. */
double k3_json_real(const struct k3_json *json);

/*
 * The bytes of a K3_JSON_STRING, ended by a NUL that '*len' does not count
 * (they may hold others); NULL, and 0 bytes, for any other.  'len' may be NULL.
 */
const char *k3_json_string(const struct k3_json *json, size_t *len);

/* How many values an array or an object has; 0 for any other. */
size_t k3_json_size(const struct k3_json *json);

/* Value 'i' of an array; NULL if there is none, or it is no array or NULL. */
const struct k3_json *k3_json_at(const struct k3_json *array, size_t i);

/*
 * Call 'fn' with each key and value of an object, in the order of the file,
 * until it returns other than 0.  Returns what the last call returned, or 0.
 */
int k3_json_each(const struct k3_json *obj,
    int (*fn)(const char *key, const struct k3_json *value, void *arg),
    void *arg);

/*
 * A new value, by jansson's format letters (json_pack): s a string, I an
 * int64_t, f a double, b an int, n null, o a value that is taken over, {} and
 * [].  NULL if memory is short or an 'o' is NULL, so that failure travels up to
 * k3_json_write(), which reports it.
 */
struct k3_json *k3_json_pack(const char *fmt, ...);

/* 'array' with 'value', which it takes over, at its end; NULL as above. */
struct k3_json *k3_json_push(struct k3_json *array, struct k3_json *value);

/* 'obj' with 'value', which it takes over, at a key; NULL as above. */
struct k3_json *k3_json_set(struct k3_json *obj, const char *key,
    struct k3_json *value);

/*
 * Write a document, as one line or, if 'indent', as many.  Frees it.  0, or -1
 * with EX_IOERR or EX_OSERR; 'name' is for the message.
 */
int k3_json_write(struct k3_json *json, bool indent, FILE *fp, const char *name,
    struct k3_err *err);

#endif
