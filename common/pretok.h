/*
 * pretok.h - text cut into parts and split into pieces, as Kimi K3 does
 *
 * A piece is what byte-pair encoding then works on alone.  It is the leftmost
 * alternative that matches of
 *
 *	[\p{Han}]+
 *	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*
 *	    [\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+
 *	    [\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *	\p{N}{1,3}
 *	 ?[^\s\p{L}\p{N}]+[\r\n]*
 *	\s*[\r\n]+
 *	\s+(?!\S)
 *	\s+
 *
 * over the symbols of unicode.h; a bad byte is a symbol of no category.
 */
#ifndef K3_COMMON_PRETOK_H
#define K3_COMMON_PRETOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The length in bytes of the first piece of a text, of which 'len' must not be
 * 0.  Splitting a whole text takes time linear in its length.
 */
size_t k3_pretok(const char *text, size_t len);

/*
 * The released tokenizer encodes at most so many symbols at a time, and of
 * those at most so many in a row that are all white space or all not.  White
 * space is \s and U+001C to U+001F here.
 */
#define K3_CUT_CHUNK 400000u
#define K3_CUT_RUN   25000u

/* How far into a chunk and a run the text is; all zeros at its beginning. */
struct k3_cut {
	uint32_t nchunk; /* symbols of the chunk seen */
	uint32_t nrun;   /* symbols of the run seen */
	bool space;      /* what the run is of */
};

/*
 * Scan text that follows what was scanned before.  Returns the bytes that
 * belong to the current part; '*full' says whether that ends there, and the
 * next call begins the next one.  Otherwise all was scanned, but for up to 3
 * bytes of a symbol that may go on: give them again with more, or with 'last'
 * set at the end of the text.
 */
size_t k3_cut_scan(struct k3_cut *cut, const char *text, size_t len, bool last,
    bool *full);

#endif
