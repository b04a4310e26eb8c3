/*
 * unescape.c - the bytes that a JSON string stands for
 */
#include <stdint.h>
#include <string.h>

#include "common/unescape.h"

/* Bytes of the UTF-8 sequence at 's', or 0 if it is none (Unicode, table 3-7).
 */
static size_t
utf8_length(const uint8_t *s, size_t len)
{
	uint8_t low = 0x80, high = 0xbf;
	size_t n;

	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	if (s[0] == 0xe0)
		low = 0xa0; /* else overlong */
	else if (s[0] == 0xed)
		high = 0x9f; /* else a surrogate */
	else if (s[0] == 0xf0)
		low = 0x90;
	else if (s[0] == 0xf4)
		high = 0x8f; /* else above U+10FFFF */
	if (len < n || s[1] < low || s[1] > high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static char *
utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* The value of "uXXXX" at 's', or UINT32_MAX. */
static uint32_t
hex(const char *s, const char *end)
{
	uint32_t v = 0;

	if (end - s < 5 || *s != 'u')
		return UINT32_MAX;
	for (int i = 1; i < 5; i++) {
		char c = s[i], low = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if (low >= 'a' && low <= 'f')
			v = v << 4 | (uint32_t)(low - 'a' + 10);
		else
			return UINT32_MAX;
	}
	return v;
}

/* What follows a backslash: bytes taken, or 0 if it is no escape. */
static size_t
escape(const char *s, const char *end, uint32_t *out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *simple;
	uint32_t low;

	if (s == end || *s == '\0')
		return 0;
	if ((simple = strchr(from, *s)) != NULL) {
		*out = (uint32_t)to[simple - from];
		return 1;
	}
	*out = hex(s, end);
	if (*out == 0 || *out == UINT32_MAX || *out >> 10 == 0xdc00 >> 10)
		return 0;
	if (*out >> 10 != 0xd800 >> 10)
		return 5;
	if (end - s < 11 || s[5] != '\\' ||
	    (low = hex(s + 6, end)) >> 10 != 0xdc00 >> 10)
		return 0;
	*out = 0x10000 + ((*out & 0x3ff) << 10 | (low & 0x3ff));
	return 11;
}

const char *
k3_unescape(char *s, size_t *len)
{
	const char *p = s, *end = s + *len;
	char *to = s;
	uint32_t c;
	size_t n;

	while (p < end) {
		if (*p == '\\') {
			if ((n = escape(p + 1, end, &c)) == 0)
				return "bad escape in a string";
			to = utf8_put(to, c);
			p += n + 1;
			continue;
		}
		n = 1;
		if ((*p & 0x80) != 0 && (n = utf8_length((const uint8_t *)p,
					     (size_t)(end - p))) == 0)
			return "a string is not UTF-8";
		memmove(to, p, n);
		to += n;
		p += n;
	}
	*len = (size_t)(to - s);
	return NULL;
}
