/*
 * slow-split.h - the split pattern by plain backtracking, to compare with
 *
 * Each alternative is tried as it is written, every quantifier from its
 * longest match down, which takes time cubic in the length of the text.
 */
#ifndef K3_TESTS_SLOW_SPLIT_H
#define K3_TESTS_SLOW_SPLIT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "common/unicode.h"

#define SLOW_MAX 512 /* symbols */

struct slow {
	const char *text;
	size_t n;                 /* symbols */
	size_t off[SLOW_MAX + 1]; /* [symbol]: byte offset */
	unsigned flags[SLOW_MAX]; /* [symbol] */
};

static inline void
slow_read(struct slow *s, const char *text, size_t len)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t i = 0;

	s->text = text;
	s->n = 0;
	while (i < len && s->n < SLOW_MAX) {
		s->off[s->n] = i;
		i += k3_uc_next(t + i, t + len, &s->flags[s->n++]);
	}
	s->off[s->n] = i;
}

/* Does symbol i exist, and have one of 'any' and none of 'none'? */
static inline bool
slow_is(const struct slow *s, size_t i, unsigned any, unsigned none)
{
	return i < s->n && (any == 0 || (s->flags[i] & any) != 0) &&
	       (s->flags[i] & none) == 0;
}

/* How many such symbols stand from i on, 'most' at most. */
static inline size_t
slow_many(const struct slow *s, size_t i, size_t most, unsigned any,
    unsigned none)
{
	size_t n = 0;

	while (n < most && slow_is(s, i + n, any, none))
		n++;
	return n;
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)? at i: the symbols that it takes. */
static inline size_t
slow_suffix(const struct slow *s, size_t i)
{
	static const char *list[] = { "'s", "'\xc5\xbf", "'t", "'re", "'ve",
		"'m", "'ll", "'d" };
	static const size_t nsymbol[] = { 2, 2, 2, 3, 3, 2, 3, 2 };

	for (size_t k = 0; k < sizeof(list) / sizeof(list[0]); k++) {
		size_t len = strlen(list[k]);

		if (s->off[s->n] - s->off[i] >= len &&
		    strncasecmp(s->text + s->off[i], list[k], len) == 0)
			return nsymbol[k];
	}
	return 0;
}

/* The second (nupper 0, nlower 1) and third alternative (1, 0); 0: none. */
static inline size_t
slow_word(const struct slow *s, size_t minupper, size_t minlower)
{
	bool prefix =
	    slow_is(s, 0, 0, K3_UC_BREAK | K3_UC_LETTER | K3_UC_NUMBER);

	for (size_t p = prefix ? 1 : 0;; p--) {
		size_t most = slow_many(s, p, s->n, K3_UC_UPPER, 0);

		for (size_t up = most; up + 1 > minupper; up--) {
			size_t low = slow_many(s, p + up, s->n, K3_UC_LOWER, 0);

			if (low >= minlower)
				return p + up + low +
				       slow_suffix(s, p + up + low);
			if (up == 0)
				break;
		}
		if (p == 0)
			return 0;
	}
}

/* The first piece of the text, in symbols, of which there is at least one. */
static inline size_t
slow_piece(const struct slow *s)
{
	const unsigned word = K3_UC_SPACE | K3_UC_LETTER | K3_UC_NUMBER;
	size_t n, all;

	if ((n = slow_many(s, 0, s->n, K3_UC_HAN, 0)) > 0)
		return n;
	if ((n = slow_word(s, 0, 1)) > 0)
		return n;
	if ((n = slow_word(s, 1, 0)) > 0)
		return n;
	if ((n = slow_many(s, 0, 3, K3_UC_NUMBER, 0)) > 0)
		return n;
	for (size_t blank = s->text[0] == ' ' ? 1 : 0;; blank--) {
		if ((n = slow_many(s, blank, s->n, 0, word)) > 0) {
			n += blank;
			return n + slow_many(s, n, s->n, K3_UC_BREAK, 0);
		}
		if (blank == 0)
			break;
	}
	all = slow_many(s, 0, s->n, K3_UC_SPACE, 0);
	for (size_t w = all + 1; w-- > 0;)
		if ((n = slow_many(s, w, s->n, K3_UC_BREAK, 0)) > 0)
			return w + n;
	for (size_t w = all; w > 0; w--)
		if (w == s->n || slow_is(s, w, K3_UC_SPACE, 0))
			return w;
	return all;
}

#endif
