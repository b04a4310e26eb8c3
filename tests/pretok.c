/*
 * pretok.c - text cut into parts and split into pieces
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/pretok.h"
#include "tests/guard.h"
#include "tests/slow-split.h"
#include "tests/tap.h"

static uint64_t rng = 1;

static uint32_t
rnd(void)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(rng >> 32);
}

/* The pieces of a text with bars between them. */
static const char *
split(const char *text)
{
	static char out[256];
	size_t len = strlen(text), n, k = 0;

	for (size_t i = 0; i < len; i += n) {
		n = k3_pretok(text + i, len - i);
		if (i > 0)
			out[k++] = '|';
		memcpy(out + k, text + i, n);
		k += n;
	}
	out[k] = '\0';
	return out;
}

static void
check_samples(void)
{
	static const struct {
		const char *what, *text, *want;
	} t[] = {
		{ "words with the blank before", "ab cd  ef", "ab| cd| | ef" },
		{ "a capital inside", "camelCaseHTMLText",
		    "camel|Case|HTMLText" },
		{ "contractions in any case", "it's I'LL'x don'tx",
		    "it's| I'LL|'x| don't|x" },
		{ "the long s",
		    "a'\xc5\xbf"
		    "b",
		    "a'\xc5\xbf|b" },
		{ "a contraction cut short", "we'r", "we|'r" },
		{ "three numbers", "12345 67", "123|45| |67" },
		{ "a mark before a word",
		    "\xcc\x81"
		    "a",
		    "\xcc\x81"
		    "a" },
		{ "a mark before a capital",
		    "\xcc\x81"
		    "A",
		    "\xcc\x81|A" },
		{ "the last mark among capitals",
		    "A\xcc\x81"
		    "BC",
		    "A\xcc\x81|BC" },
		{ "any symbol before a word", "(ab)(cd \tef",
		    "(ab|)(|cd| |\tef" },
		{ "other symbols and the lines after", "a !?\n\nb",
		    "a| !?\n\n|b" },
		{ "white space up to the last line", "a \n \r\n  b",
		    "a| \n \r\n| | b" },
		{ "white space at the end", "a  ", "a|  " },
		{ "a lone tab before a number", "\t1", "\t|1" },
		{ "Han",
		    "\xe4\xb8\xad\xe6\x96\x87"
		    "a\xe4\xb8\xad",
		    "\xe4\xb8\xad\xe6\x96\x87|a|\xe4\xb8\xad" },
		{ "a Han symbol after a blank", " \xe2\xba\x80x",
		    " \xe2\xba\x80|x" },
		{ "a bad byte before a word",
		    "\xff"
		    "a\xff\xff!",
		    "\xff"
		    "a|\xff\xff!" },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		if (!ok(strcmp(split(t[i].text), t[i].want) == 0, "%s",
			t[i].what))
			diag("got \"%s\"", split(t[i].text));
}

/* Short strings of symbols that the pattern tells apart. */
static size_t
random_text(char *text)
{
	static const char *atom[] = { "a", "s", "t", "e", "l", "A", "S", "R",
		"E", "'", "'", "'s", "'ll", " ", " ", "\t", "\n", "\r",
		"\xc2\x85", "\xc2\xa0", "\x1c", "1", "9", "\xc2\xbd", "!", "-",
		"\xc7\x85", "\xca\xb0", "\xd7\x90", "\xcc\x81", "\xcc\x81",
		"\xe2\xba\x80", "\xe4\xb8\xad", "\xe3\x80\x85", "\xe3\x80\x87",
		"\xf0\x96\xbf\xb0", "\xc5\xbf", "\xf0\x9f\x98\x80", "\xff",
		"\xe4", "\xb8", "\xed\xa0\x80", "\xef\xbf\xbd", "\xe3\x80\x80",
		"\xe2\x80\x8b" };
	size_t natom = sizeof(atom) / sizeof(atom[0]);
	size_t n = 1 + rnd() % 12, some = 1 + rnd() % natom, len = 0;

	/* Few different ones at times, so that long runs come up. */
	for (size_t i = 0; i < n; i++) {
		const char *a = atom[(rnd() % some * 7 + some) % natom];

		memcpy(text + len, a, strlen(a));
		len += strlen(a);
	}
	return len;
}

static bool
check_random(void)
{
	static struct slow slow;
	char *end = (char *)guard_end(64) + 64, copy[64];

	for (int round = 0; round < 300000; round++) {
		size_t len = random_text(copy), got, want;
		char *text = end - len;

		memcpy(text, copy, len);
		slow_read(&slow, text, len);
		got = k3_pretok(text, len);
		want = slow.off[slow_piece(&slow)];
		if (got != want) {
			diag("got %zu, want %zu bytes of:", got, want);
			for (size_t i = 0; i < len; i++)
				diag("  %02x", (unsigned char)text[i]);
			return false;
		}
	}
	return true;
}

/* The cut by its definition, on an array of symbols. */
static size_t
slow_cut(const unsigned char *space, size_t n, size_t *part)
{
	size_t npart = 0, start = 0;

	for (size_t chunk = 0; chunk < n; chunk += K3_CUT_CHUNK) {
		size_t run = 0;

		start = chunk;
		for (size_t i = chunk; i < n && i < chunk + K3_CUT_CHUNK; i++) {
			run =
			    i > chunk && space[i] == space[i - 1] ? run + 1 : 1;
			if (run > K3_CUT_RUN) {
				part[npart++] = i - start;
				start = i;
				run = 1;
			}
		}
		part[npart++] =
		    (n < chunk + K3_CUT_CHUNK ? n : chunk + K3_CUT_CHUNK) -
		    start;
	}
	return npart;
}

/* Runs of random length; text is given in slices of random length. */
static bool
check_cut(void)
{
	size_t n = 2000000, npart, k = 0, fed = 0, len = 0, start = 0, got;
	unsigned char *space = malloc(n);
	char *text = malloc(2 * n);
	size_t *part = malloc(n * sizeof(*part));
	size_t *off = malloc((n + 1) * sizeof(*off));
	struct k3_cut cut = { 0 };
	bool full, same = true;

	for (size_t i = 0, left = 0, what = 0; i < n; i++, left--) {
		if (left == 0) {
			left = 1 + rnd() % (rnd() % 4 == 0 ? 90000 : 26000);
			what = !what;
		}
		space[i] = (unsigned char)what;
		off[i] = len;
		text[len++] = what ? " \n\x1c\t"[rnd() % 4] : '\xc3';
		if (!what)
			text[len++] = '\xa9';
	}
	off[n] = len;
	npart = slow_cut(space, n, part);
	for (size_t from = 0, i = 0; same && i < len;) {
		fed += rnd() % 70000;
		if (fed > len)
			fed = len;
		do {
			got = k3_cut_scan(&cut, text + i, fed - i, fed == len,
			    &full);
			i += got;
			if (!full)
				continue;
			same = same && k < npart && i == off[from + part[k]] &&
			       i > start;
			from += part[k++];
			start = i;
		} while (full && same);
		if (i == len)
			same = same && k == npart - 1 && from + part[k] == n;
	}
	ok(npart > 20, "a text of many parts");
	free(space);
	free(text);
	free(part);
	free(off);
	return same;
}

static void
check_cut_edges(void)
{
	struct k3_cut cut = { 0 };
	bool full;

	ok(k3_cut_scan(&cut, "a\xe4\xb8", 3, false, &full) == 1 && !full,
	    "a symbol that may go on is left");
	ok(k3_cut_scan(&cut, "\xe4\xb8", 2, true, &full) == 2 && !full &&
		cut.nchunk == 3,
	    "but not at the end, where it is bad bytes");
}

int
main(void)
{
	check_samples();
	ok(check_random(), "300000 random texts split as by backtracking");
	ok(check_cut(), "parts end where the definition says");
	check_cut_edges();
	return tap_done();
}
