/*
 * scan.c - JSON as a stream of tokens, through a small buffer
 *
 * A token is read from a buffer that holds all of it: where the buffer ends
 * inside one, its start moves to the front and more is fetched.  The byte after
 * the last is NUL, which no token has, so that loops need not look for the end.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/regular.h"
#include "common/scan.h"
#include "common/unescape.h"

/* A token may have this many bytes, a value this many levels (jansson's). */
#define MAX_TOKEN ((size_t)1 << 20)
#define MAX_DEPTH 2048

/* plain() looks at eight bytes at a time. */
#define SLACK 8

int
k3_scan_init(struct k3_scan *s, size_t cap, struct k3_err *err)
{
	memset(s, 0, sizeof(*s));
	s->err = err;
	s->cap = cap;
	if ((s->buf = calloc(1, cap + SLACK)) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot read JSON: out of memory");
	return 0;
}

void
k3_scan_fini(struct k3_scan *s)
{
	free(s->buf);
	s->buf = NULL;
}

void
k3_scan_file(struct k3_scan *s, const char *name, int fd, uint64_t off,
    uint64_t len)
{
	s->name = name;
	s->fd = fd;
	s->off = off;
	s->left = len;
	s->p = s->end = s->buf;
	s->hold = false;
	s->depth = 0;
	*s->end = '\0';
}

void
k3_scan_memory(struct k3_scan *s, const char *name, const char *text,
    size_t len)
{
	k3_scan_file(s, name, -1, 0, len);
	s->mem = text;
}

int
k3_scan_fail(struct k3_scan *s, const char *fmt, ...)
{
	char what[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	/* Names come from the file; a message is one line. */
	for (char *c = what; *c != '\0'; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return k3_fail(s->err, EX_DATAERR, "'%s' offset %" PRIu64 ": %s",
	    s->name, s->at, what);
}

/* Room for more than the 'have' bytes at 'from', which go to the front. */
static int
make_room(struct k3_scan *s, char *from, size_t have)
{
	char *old = s->buf, *buf = old;

	if (have == s->cap) {
		if (s->cap >= MAX_TOKEN)
			return k3_scan_fail(s, "a token of more than %zu bytes",
			    MAX_TOKEN);
		if ((buf = malloc(2 * s->cap + SLACK)) == NULL)
			return k3_fail(s->err, EX_OSERR,
			    "cannot read '%s': out of memory", s->name);
		s->cap *= 2;
	}
	memmove(buf, from, have);
	s->p = buf + (s->p - from);
	s->end = buf + have;
	if (s->hold)
		s->str = buf;
	if (buf != old)
		free(old);
	s->buf = buf;
	return 0;
}

/* Fetch more: 1, or 0 if there is no more.  What 's->p' points at may move. */
static int
fill(struct k3_scan *s)
{
	char *from = s->hold ? s->str : s->p;
	size_t n, have = (size_t)(s->end - from);
	int64_t got;

	if (s->left == 0)
		return 0;
	if (make_room(s, from, have) != 0)
		return -1;
	n = s->cap - have < s->left ? s->cap - have : (size_t)s->left;
	if (s->fd < 0) {
		memcpy(s->end, s->mem + s->off, n);
	} else if ((got = k3_regular_read(s->fd, s->end, n, s->off)) < 0) {
		return k3_fail_errno(s->err, EX_IOERR, "cannot read '%s'",
		    s->name);
	} else if ((size_t)got < n) {
		return k3_fail(s->err, EX_DATAERR,
		    "'%s' offset %" PRIu64 ": the file got shorter", s->name,
		    s->off + (uint64_t)got);
	}
	s->off += n;
	s->left -= n;
	s->end += n;
	memset(s->end, 0, SLACK);
	return 1;
}

/*
 * The first byte from 'p' that is not a plain one of a string: a quote, a
 * backslash, or one below 0x20 or above 0x7f.  Each line of the test sets the
 * top bit of such bytes; a borrow may set it in bytes above the first one too,
 * which does no harm, as the last loop looks again.
 */
static char *
plain(char *p)
{
	const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
	uint64_t w, quote, slash;

	for (;; p += sizeof(w)) {
		memcpy(&w, p, sizeof(w));
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		if (((w | (w - ones * 0x20) | (quote - ones) | (slash - ones)) &
			tops) != 0)
			break;
	}
	while ((unsigned char)*p - 0x20u < 0x60 && *p != '"' && *p != '\\')
		p++;
	return p;
}

static int
read_string(struct k3_scan *s)
{
	bool decode = false;
	size_t done = 1;
	const char *why;
	char *p;
	int got;

	for (;;) {
		p = plain(s->p + done);
		done = (size_t)(p - s->p);
		if (*p == '"')
			break;
		if (p == s->end || (*p == '\\' && p + 1 == s->end)) {
			if ((got = fill(s)) < 0)
				return -1;
			if (got == 0)
				return k3_scan_fail(s, "a string has no end");
			continue;
		}
		if ((unsigned char)*p < 0x20)
			return k3_scan_fail(s,
			    "control character 0x%02x in a string", *p);
		/* An escaped quote does not end the string. */
		done += *p == '\\' ? 2 : 1;
		decode = true;
	}
	s->str = s->p + 1;
	s->len = done - 1;
	if (decode && (why = k3_unescape(s->p + 1, &s->len)) != NULL)
		return k3_scan_fail(s, "%s", why);
	s->p = p + 1;
	return K3_TOKEN_STRING;
}

static bool
digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The rest of a real, from the '.' or 'e' at 'p' up to 'end'. */
static int
read_real(struct k3_scan *s, char *p, char *end)
{
	char saved = *end;
	double v;

	if (*p == '.') {
		if (!digit(*++p))
			return k3_scan_fail(s, "bad number");
		while (digit(*p))
			p++;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (!digit(*p))
			return k3_scan_fail(s, "bad number");
		while (digit(*p))
			p++;
	}
	if (p != end)
		return k3_scan_fail(s, "bad number");
	*end = '\0';
	v = strtod(s->p, NULL);
	*end = saved;
	if (isinf(v))
		return k3_scan_fail(s, "a number is too large");
	s->p = end;
	return K3_TOKEN_REAL;
}

/* The rest of a number that is all in the buffer, up to 'end'. */
static int
read_digits(struct k3_scan *s, char *end)
{
	bool minus = *s->p == '-', wraps = false;
	uint64_t v = 0, most = minus ? (uint64_t)1 << 63 : INT64_MAX;
	char *p = s->p + minus;

	if (!digit(*p) || (*p == '0' && digit(p[1])))
		return k3_scan_fail(s, "bad number");
	for (; digit(*p); p++) {
		unsigned d = (unsigned)(*p - '0');

		wraps |= v > (most - d) / 10;
		v = v * 10 + d;
	}
	if (*p == '.' || *p == 'e' || *p == 'E')
		return read_real(s, p, end);
	if (p != end)
		return k3_scan_fail(s, "bad number");
	if (wraps)
		return k3_scan_fail(s, "an integer is too large");
	s->num = (int64_t)(minus ? 0 - v : v);
	s->p = end;
	return K3_TOKEN_INT;
}

static int
read_number(struct k3_scan *s)
{
	uint64_t v = 0;
	size_t done = 0;
	char *p;

	/* Mostly there are some digits, with a comma or bracket after them. */
	for (p = s->p; digit(*p) && p - s->p < 18; p++)
		v = v * 10 + (unsigned)(*p - '0');
	if ((*p == ',' || *p == ']') && (*s->p > '0' || p - s->p == 1)) {
		s->num = (int64_t)v;
		s->p = p;
		return K3_TOKEN_INT;
	}
	for (;;) {
		p = s->p + done;
		while (digit(*p) || *p == '.' || *p == '-' || *p == '+' ||
		       *p == 'e' || *p == 'E')
			p++;
		done = (size_t)(p - s->p);
		if (p < s->end || s->left == 0)
			return read_digits(s, p);
		if (fill(s) < 0)
			return -1;
	}
}

static int
read_word(struct k3_scan *s)
{
	static const char *const words[] = { "true", "false", "null" };

	while (s->end - s->p < 5 && s->left > 0)
		if (fill(s) < 0)
			return -1;
	for (int i = 0; i < 3; i++) {
		size_t n = strlen(words[i]);

		/* The NUL at the end makes a cut word unequal. */
		if (strncmp(s->p, words[i], n) == 0) {
			s->p += n;
			return words[i][0];
		}
	}
	return k3_scan_fail(s, "not JSON");
}

int
k3_scan_next(struct k3_scan *s)
{
	int got;

	for (;;) {
		char *p = s->p, c;

		while ((c = *p) == ' ' || c == '\n' || c == '\t' || c == '\r')
			p++;
		s->p = p;
		s->at = s->off - (uint64_t)(s->end - p);
		switch (c) {
		case '"':
			return read_string(s);
		case ',':
		case ':':
			s->p++;
			return c;
		case '{':
		case '[':
			s->p++;
			s->depth++;
			return c;
		case '}':
		case ']':
			s->p++;
			s->depth--;
			return c;
		case '\0':
			if (p < s->end)
				break;
			if ((got = fill(s)) < 0)
				return -1;
			if (got == 0)
				return K3_TOKEN_END;
			continue;
		default:
			if (c == '-' || digit(c))
				return read_number(s);
			return read_word(s);
		}
		return k3_scan_fail(s, "not JSON");
	}
}

static const char *
name_of(int token)
{
	switch (token) {
	case K3_TOKEN_END:
		return "the end";
	case K3_TOKEN_STRING:
		return "a string";
	case K3_TOKEN_INT:
		return "an integer";
	case K3_TOKEN_REAL:
		return "a real number";
	case K3_TOKEN_TRUE:
	case K3_TOKEN_FALSE:
		return "a boolean";
	case K3_TOKEN_NULL:
		return "null";
	case '{':
		return "an object";
	case '[':
		return "a list";
	case ':':
		return "a colon";
	case ',':
		return "a comma";
	default:
		return "a closing bracket";
	}
}

int
k3_scan_want(struct k3_scan *s, int want)
{
	int got = k3_scan_next(s);

	if (got == want || got < 0)
		return got;
	return k3_scan_fail(s, "%s (want %s)", name_of(got), name_of(want));
}

int
k3_scan_key(struct k3_scan *s, bool *first)
{
	int token = k3_scan_next(s);

	if (token == '}')
		return 0;
	if (!*first && token == ',')
		token = k3_scan_next(s);
	else if (!*first && token >= 0)
		return k3_scan_fail(s, "%s (want a comma or the object's end)",
		    name_of(token));
	*first = false;
	if (token < 0)
		return -1;
	if (token != K3_TOKEN_STRING)
		return k3_scan_fail(s, "%s (want a key)", name_of(token));
	s->hold = true;
	token = k3_scan_want(s, ':');
	s->hold = false;
	return token < 0 ? -1 : 1;
}

int
k3_scan_item(struct k3_scan *s, bool *first)
{
	int token = k3_scan_next(s);

	if (token == ']')
		return 0;
	if (!*first && token == ',')
		token = k3_scan_next(s);
	else if (!*first && token >= 0)
		return k3_scan_fail(s, "%s (want a comma or the list's end)",
		    name_of(token));
	*first = false;
	if (token == K3_TOKEN_END || token == ']')
		return k3_scan_fail(s, "%s (want a value)", name_of(token));
	return token;
}

/* jansson counts a value in an object or list as one level more. */
static int
skip_value(struct k3_scan *s, int token)
{
	bool first = true;
	int got;

	if (s->depth + (token != '{' && token != '[') > MAX_DEPTH)
		return k3_scan_fail(s, "more than %d levels", MAX_DEPTH);
	switch (token) {
	case '{':
		while ((got = k3_scan_key(s, &first)) > 0)
			if (skip_value(s, k3_scan_next(s)) != 0)
				return -1;
		return got;
	case '[':
		while ((got = k3_scan_item(s, &first)) > 0)
			if (skip_value(s, got) != 0)
				return -1;
		return got;
	case K3_TOKEN_STRING:
	case K3_TOKEN_INT:
	case K3_TOKEN_REAL:
	case K3_TOKEN_TRUE:
	case K3_TOKEN_FALSE:
	case K3_TOKEN_NULL:
		return 0;
	case -1:
		return -1;
	default:
		return k3_scan_fail(s, "%s (want a value)", name_of(token));
	}
}

int
k3_scan_skip(struct k3_scan *s, int token)
{
	return skip_value(s, token);
}
