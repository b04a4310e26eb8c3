/*
 * scan.h - JSON as a stream of tokens, through a small buffer
 *
 * For the documents that are large and plain, safetensors headers and their
 * index: 150 MB of JSON for K3, of which nothing is kept.  It accepts what
 * jansson accepts (strict UTF-8, escapes, numbers, 2048 levels), but for
 * tokens above 1 MiB, and leaves duplicate keys to the caller.  All other JSON
 * is json.h's.
 *
 * Functions return -1 with the scanner's 'err' filled in, with the offset in
 * the file, and are not to be called again after that.
 */
#ifndef K3_COMMON_SCAN_H
#define K3_COMMON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/err.h"

/* Tokens.  Punctuation is its own character, and the end is 0. */
enum k3_token {
	K3_TOKEN_END = 0,
	K3_TOKEN_STRING = '"', /* in str, len */
	K3_TOKEN_INT = 'i',    /* in num */
	K3_TOKEN_REAL = 'r',
	K3_TOKEN_TRUE = 't',
	K3_TOKEN_FALSE = 'f',
	K3_TOKEN_NULL = 'n',
};

struct k3_scan {
	char *str; /* a string's bytes, decoded, until the next token */
	size_t len;
	int64_t num;

	/* Where from: a file, or memory if fd is -1. */
	const char *name;
	int fd;
	const char *mem;
	uint64_t off;  /* of the next byte to fetch */
	uint64_t left; /* bytes to fetch */
	uint64_t at;   /* of the token just read */

	char *buf, *p, *end; /* what is fetched; [p, end) is to be read */
	size_t cap;
	bool hold; /* str is still needed when more is fetched */
	unsigned depth;
	struct k3_err *err;
};

/* Get a buffer of 'cap' bytes (at least 64).  0 or -1. */
int k3_scan_init(struct k3_scan *scan, size_t cap, struct k3_err *err);
void k3_scan_fini(struct k3_scan *scan);

/* Begin a document: 'len' bytes at 'off' of a file, or bytes in memory. */
void k3_scan_file(struct k3_scan *scan, const char *name, int fd, uint64_t off,
    uint64_t len);
void k3_scan_memory(struct k3_scan *scan, const char *name, const char *text,
    size_t len);

/* The next token; no grammar is checked here. */
int k3_scan_next(struct k3_scan *scan);

/* The next token, which must be 'want', or else it fails. */
int k3_scan_want(struct k3_scan *scan, int want);

/*
 * In an object whose '{' was read, get the next key, into str and len, and the
 * colon after it: 1, or 0 if the object ended.  '*first' is true to begin with.
 */
int k3_scan_key(struct k3_scan *scan, bool *first);

/* In an array whose '[' was read, the first token of a value, or 0 at its end.
 */
int k3_scan_item(struct k3_scan *scan, bool *first);

/* Check a value that nobody wants, whose first token is 'token'.  0 or -1. */
int k3_scan_skip(struct k3_scan *scan, int token);

/* Fail because of the token just read. */
int k3_scan_fail(struct k3_scan *scan, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
