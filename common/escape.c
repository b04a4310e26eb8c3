/*
 * escape.c - any bytes as printable text of one line
 */
#include <stdbool.h>
#include <string.h>

#include "common/escape.h"
#include "common/unicode.h"

/* Code points that show nothing but change what is shown around them. */
static const struct {
	unsigned from, to;
} unseen[] = {
	{ 0x80, 0x9f },     /* C1 controls */
	{ 0x61c, 0x61c },   /* marks of direction, */
	{ 0x200e, 0x200f }, /* of which these are two more */
	{ 0x2028, 0x202e }, /* ends of line and paragraph, and directions */
	{ 0x2066, 0x2069 }, /* isolates */
};

/* Can a symbol be shown? */
static bool
printable(const unsigned char *p, size_t len)
{
	unsigned code = p[0] & (0x7fu >> len);

	if (len == 1)
		return p[0] >= ' ' && p[0] < 0x7f;
	for (size_t i = 1; i < len; i++)
		code = code << 6 | (p[i] & 0x3fu);
	for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++)
		if (code >= unseen[i].from && code <= unseen[i].to)
			return false;
	return true;
}

/* Always three digits, since \x and shorter ones could run into a digit. */
static int
put_escaped(FILE *fp, unsigned char c)
{
	static const char named[] = "\a\b\t\n\v\f\r\\", letter[] = "abtnvfr\\";
	const char *found = c != '\0' ? strchr(named, c) : NULL;

	if (found != NULL)
		return fprintf(fp, "\\%c", letter[found - named]);
	return fprintf(fp, "\\%03o", c);
}

int
k3_escape(FILE *fp, const char *bytes, size_t len)
{
	const unsigned char *p = (const unsigned char *)bytes;
	const unsigned char *end = p + len;
	unsigned flags;
	size_t n;

	for (; p < end; p += n) {
		n = k3_uc_next(p, end, &flags);
		if (printable(p, n) && *p != '\\') {
			if (fwrite_unlocked(p, 1, n, fp) != n)
				return -1;
			continue;
		}
		for (size_t i = 0; i < n; i++)
			if (put_escaped(fp, p[i]) < 0)
				return -1;
	}
	return 0;
}

void
k3_escape_mask(char *text)
{
	unsigned char *p = (unsigned char *)text;
	const unsigned char *end = p + strlen(text);
	unsigned flags;
	size_t n;

	for (; p < end; p += n) {
		n = k3_uc_next(p, end, &flags);
		if (!printable(p, n))
			memset(p, '?', n);
	}
}
