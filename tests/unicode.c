/*
 * unicode.c - UTF-8 and the tables of Unicode 16
 */
#include <string.h>

#include "common/unicode.h"
#include "tests/tap.h"

/* How many code points have all of 'on' and none of 'off'. */
static unsigned
count(unsigned on, unsigned off)
{
	unsigned n = 0;

	for (unsigned c = 0; c < 0x110000; c++)
		n += (k3_uc_class(c) & on) == on && (k3_uc_class(c) & off) == 0;
	return n;
}

/* Totals as Unicode 16's DerivedGeneralCategory.txt and Scripts.txt have them:
 * Lu 1858, Ll 2258, Lt 31, Lm 404, Lo 136477, M 2501, N 1911, Han 99030. */
static void
check_totals(void)
{
	ok(count(K3_UC_HAN, 0) == 99030, "Script=Han has 99030 code points");
	ok(count(K3_UC_LETTER, 0) == 1858 + 2258 + 31 + 404 + 136477,
	    "L has 141028");
	ok(count(K3_UC_NUMBER, 0) == 1911, "N has 1911");
	ok(count(K3_UC_SPACE, 0) == 25, "white space has 25");
	ok(count(K3_UC_BREAK, 0) == 2 && count(K3_UC_CONTROL, 0) == 4,
	    "two line breaks and four separators");
	ok(count(K3_UC_LOWER, K3_UC_UPPER) == 2258, "only lower: all of Ll");
	ok(count(K3_UC_UPPER, K3_UC_LOWER) == 1858 + 31,
	    "only upper: all of Lu and Lt");
	/* U+16FF0 and U+16FF1 are the two marks of Script=Han. */
	ok(count(K3_UC_UPPER | K3_UC_LOWER, K3_UC_LETTER) == 2501 - 2,
	    "both, and no letter: M without Han");
	ok(count(K3_UC_HAN | K3_UC_UPPER, 0) == 0 &&
		count(K3_UC_HAN | K3_UC_LOWER, 0) == 0 &&
		count(K3_UC_LETTER | K3_UC_NUMBER, 0) == 0,
	    "Han is neither upper nor lower, no letter is a number");
}

static void
check_samples(void)
{
	static const struct {
		unsigned code, flags;
	} want[] = {
		{ 'a', K3_UC_LETTER | K3_UC_LOWER },
		{ 'Z', K3_UC_LETTER | K3_UC_UPPER },
		{ '7', K3_UC_NUMBER },
		{ '!', 0 },
		{ '\n', K3_UC_SPACE | K3_UC_BREAK },
		{ 0x1f, K3_UC_CONTROL },
		{ 0x85, K3_UC_SPACE },
		{ 0x1c5, K3_UC_LETTER | K3_UC_UPPER },   /* Lt */
		{ 0x301, K3_UC_UPPER | K3_UC_LOWER },    /* Mn */
		{ 0x200b, 0 },                           /* Cf, no space */
		{ 0x2e80, K3_UC_HAN },                   /* So */
		{ 0x3005, K3_UC_HAN | K3_UC_LETTER },    /* Lm */
		{ 0x3007, K3_UC_HAN | K3_UC_NUMBER },    /* Nl */
		{ 0x4e00, K3_UC_HAN | K3_UC_LETTER },    /* Lo */
		{ 0x1c89, K3_UC_LETTER | K3_UC_UPPER },  /* new in 16 */
		{ 0x10d50, K3_UC_LETTER | K3_UC_UPPER }, /* new in 16 */
		{ 0x323af, K3_UC_HAN | K3_UC_LETTER },   /* the last Han */
		{ 0x323b0, 0 },
		{ 0xd800, 0 },
		{ 0x10ffff, 0 },
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++)
		if (!ok(k3_uc_class(want[i].code) == want[i].flags,
			"flags of U+%04X", want[i].code))
			diag("got %u, want %u", k3_uc_class(want[i].code),
			    want[i].flags);
}

static size_t
encode(unsigned c, unsigned char *p)
{
	if (c < 0x80) {
		p[0] = (unsigned char)c;
		return 1;
	}
	if (c < 0x800) {
		p[0] = (unsigned char)(0xc0 | c >> 6);
		p[1] = (unsigned char)(0x80 | (c & 63));
		return 2;
	}
	if (c < 0x10000) {
		p[0] = (unsigned char)(0xe0 | c >> 12);
		p[1] = (unsigned char)(0x80 | (c >> 6 & 63));
		p[2] = (unsigned char)(0x80 | (c & 63));
		return 3;
	}
	p[0] = (unsigned char)(0xf0 | c >> 18);
	p[1] = (unsigned char)(0x80 | (c >> 12 & 63));
	p[2] = (unsigned char)(0x80 | (c >> 6 & 63));
	p[3] = (unsigned char)(0x80 | (c & 63));
	return 4;
}

/* Every code point is read whole, or byte by byte if it is a surrogate. */
static bool
check_utf8(void)
{
	unsigned char p[4];

	for (unsigned c = 0; c < 0x110000; c++) {
		size_t len = encode(c, p);
		bool surrogate = c >= 0xd800 && c < 0xe000;
		unsigned flags = 99;
		size_t got = k3_uc_next(p, p + len, &flags);

		if (got != (surrogate ? 1 : len) || flags != k3_uc_class(c)) {
			diag("U+%04X: length %zu, flags %u", c, got, flags);
			return false;
		}
		for (size_t cut = 1; cut < len; cut++)
			if (k3_uc_next(p, p + cut, &flags) != 1 || flags != 0) {
				diag("U+%04X cut to %zu bytes", c, cut);
				return false;
			}
	}
	return true;
}

static void
check_bad(void)
{
	static const char *bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf",
		"\xc2\x41", "\xe0\x9f\xbf", "\xe1\x80\x41", "\xed\xa0\x80",
		"\xf0\x8f\xbf\xbf", "\xf1\x80\x80\x41", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xff" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const unsigned char *p = (const unsigned char *)bad[i];
		unsigned flags = 99;

		ok(k3_uc_next(p, p + strlen(bad[i]), &flags) == 1 && flags == 0,
		    "ill-formed sequence %zu gives one bad byte", i);
	}
}

int
main(void)
{
	check_totals();
	check_samples();
	ok(check_utf8(), "all code points in UTF-8, whole and cut short");
	check_bad();
	return tap_done();
}
