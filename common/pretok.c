/*
 * pretok.c - text split into pieces
 *
 * The pattern is matched without backtracking.  Where a regular expression
 * engine would give symbols back, the place to which it would return is known
 * from the scan: see lower_word() and white().
 */
#include "common/pretok.h"
#include "common/unicode.h"

static inline size_t
next(const unsigned char *t, size_t i, size_t len, unsigned *flags)
{
	if (t[i] < 0x80) {
		*flags = k3_uc_flags[t[i]];
		return 1;
	}
	return k3_uc_next(t + i, t + len, flags);
}

/* Where the symbols from 'i' on end that have one of 'flags'. */
static size_t
run(const unsigned char *t, size_t i, size_t len, unsigned flags)
{
	unsigned f;

	while (i < len) {
		size_t n = next(t, i, len, &f);

		if ((f & flags) == 0)
			break;
		i += n;
	}
	return i;
}

/* Where the symbols from 'i' on end that have none of 'flags'. */
static size_t
run_without(const unsigned char *t, size_t i, size_t len, unsigned flags)
{
	unsigned f;

	while (i < len) {
		size_t n = next(t, i, len, &f);

		if ((f & flags) != 0)
			break;
		i += n;
	}
	return i;
}

/*
 * upper*lower+ from 'i' on: returns its end, or 'i' if it does not match.
 *
 * upper* first takes all it can.  If then comes a symbol that is only lower,
 * lower+ takes those that follow.  Otherwise upper* gives back symbols until
 * lower+ finds one, which is the last one that is both; lower+ then ends right
 * behind it, since all that was given back after it is only upper.
 */
static size_t
lower_word(const unsigned char *t, size_t i, size_t len)
{
	size_t both = i;
	unsigned f;

	while (i < len) {
		size_t n = next(t, i, len, &f);

		if ((f & K3_UC_UPPER) == 0) {
			if ((f & K3_UC_LOWER) != 0)
				return run(t, i + n, len, K3_UC_LOWER);
			break;
		}
		i += n;
		if ((f & K3_UC_LOWER) != 0)
			both = i;
	}
	return both;
}

/* (?i:'s|'t|'re|'ve|'m|'ll|'d)? from 'i' on: returns its end. */
static size_t
contraction(const unsigned char *t, size_t i, size_t len)
{
	size_t left = len - i;
	unsigned char a, b;

	if (left < 2 || t[i] != '\'')
		return i;
	a = t[i + 1] | 0x20;
	if (a == 's' || a == 't' || a == 'm' || a == 'd')
		return i + 2;
	if (left < 3)
		return i;
	b = t[i + 2] | 0x20;
	if (((a == 'r' || a == 'v') && b == 'e') || (a == 'l' && b == 'l'))
		return i + 3;
	/* U+017F, LATIN SMALL LETTER LONG S, is an s when case is ignored. */
	if (t[i + 1] == 0xc5 && t[i + 2] == 0xbf)
		return i + 3;
	return i;
}

/*
 * The second and third alternative; 'n' and 'f' are of the first symbol.
 * Returns 0 if neither matches.
 */
static size_t
word(const unsigned char *t, size_t len, size_t n, unsigned f)
{
	size_t start = 0, end;

	if ((f & (K3_UC_NUMBER | K3_UC_BREAK)) != 0)
		return 0;
	if ((f & K3_UC_LETTER) == 0)
		start = n;
	end = lower_word(t, start, len);
	/* A mark can be what goes before a word, and also begin one. */
	if (end == start && (f & K3_UC_LOWER) != 0) {
		start = 0;
		end = lower_word(t, 0, len);
	}
	/* Here all that upper+ takes is only upper: lower* finds nothing. */
	if (end == start)
		end = run(t, start, len, K3_UC_UPPER);
	return end == start ? 0 : contraction(t, end, len);
}

/* One to three numbers from 'i' on: returns their end. */
static size_t
number(const unsigned char *t, size_t len)
{
	size_t i = 0;
	unsigned f;

	for (int n = 0; n < 3 && i < len; n++) {
		size_t step = next(t, i, len, &f);

		if ((f & K3_UC_NUMBER) == 0)
			break;
		i += step;
	}
	return i;
}

/*
 * The last three alternatives, at white space.  \s* takes the whole run and
 * gives back all behind the last line break.  Without one, \s+ gives back the
 * last symbol, unless it is the only one or the end of the text follows.
 */
static size_t
white(const unsigned char *t, size_t len)
{
	size_t i = 0, last = 0, broken = 0;
	unsigned f;

	while (i < len) {
		size_t n = next(t, i, len, &f);

		if ((f & K3_UC_SPACE) == 0)
			break;
		last = i;
		i += n;
		if ((f & K3_UC_BREAK) != 0)
			broken = i;
	}
	if (broken != 0)
		return broken;
	return i == len || last == 0 ? i : last;
}

size_t
k3_pretok(const char *text, size_t len)
{
	const unsigned char *t = (const unsigned char *)text;
	const unsigned other = K3_UC_SPACE | K3_UC_LETTER | K3_UC_NUMBER;
	size_t n, start, end;
	unsigned f;

	n = next(t, 0, len, &f);
	if ((f & K3_UC_HAN) != 0)
		return run(t, n, len, K3_UC_HAN);
	if ((end = word(t, len, n, f)) != 0)
		return end;
	if ((f & K3_UC_NUMBER) != 0)
		return number(t, len);
	start = t[0] == ' ' ? 1 : 0;
	end = run_without(t, start, len, other);
	if (end != start)
		return run(t, end, len, K3_UC_BREAK);
	return white(t, len);
}

size_t
k3_cut_scan(struct k3_cut *cut, const char *text, size_t len, bool last,
    bool *full)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t i = 0, n;
	unsigned f;
	bool space;

	*full = false;
	for (; i < len; i += n) {
		if (t[i] >= 0x80 && len - i < 4 && !last)
			break;
		n = next(t, i, len, &f);
		space = (f & (K3_UC_SPACE | K3_UC_CONTROL)) != 0;
		if (cut->nchunk == K3_CUT_CHUNK) {
			*cut = (struct k3_cut){ 0 };
			*full = true;
			break;
		}
		if (space != cut->space) {
			cut->nrun = 0;
			cut->space = space;
		} else if (cut->nrun == K3_CUT_RUN) {
			/* The chunk goes on; only the run begins anew. */
			cut->nrun = 0;
			*full = true;
			break;
		}
		cut->nrun++;
		cut->nchunk++;
	}
	return i;
}
