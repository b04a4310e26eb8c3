/*
 * base64.h - base64 for tests that make a tiktoken.model
 */
#ifndef K3_TESTS_BASE64_H
#define K3_TESTS_BASE64_H

#include <stddef.h>

#include "common/buf.h"

static inline void
base64_put(struct k3_buf *out, const char *text, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *t = (const unsigned char *)text;
	struct k3_err err;

	for (size_t i = 0; i < len; i += 3) {
		unsigned v = (unsigned)t[i] << 16;
		char four[4];

		if (i + 1 < len)
			v |= (unsigned)t[i + 1] << 8;
		if (i + 2 < len)
			v |= t[i + 2];
		four[0] = digits[v >> 18];
		four[1] = digits[v >> 12 & 63];
		four[2] = i + 1 < len ? digits[v >> 6 & 63] : '=';
		four[3] = i + 2 < len ? digits[v & 63] : '=';
		k3_buf_put(out, four, 4, &err);
	}
}

#endif
