/*
 * unicode.h - UTF-8, and what Unicode 16 says about a code point
 *
 * Text is bytes of any kind.  It is read as symbols: a code point in
 * well-formed UTF-8, or one byte that is not part of any.  So every text has
 * exactly one reading, and no byte is lost.
 */
#ifndef K3_COMMON_UNICODE_H
#define K3_COMMON_UNICODE_H

#include <stddef.h>

/* Flags of a code point; a bad byte has none, like U+FFFD. */
#define K3_UC_HAN     1u   /* Script=Han */
#define K3_UC_UPPER   2u   /* Lu Lt Lm Lo M, without Han */
#define K3_UC_LOWER   4u   /* Ll Lm Lo M, without Han */
#define K3_UC_LETTER  8u   /* L */
#define K3_UC_NUMBER  16u  /* N */
#define K3_UC_SPACE   32u  /* \s: 25 code points */
#define K3_UC_BREAK   64u  /* CR LF */
#define K3_UC_CONTROL 128u /* U+001C to U+001F */

/*
 * The generated tables: flags in blocks, the same one stored once, and the
 * block of each 128 code points.  Block 0 is ASCII.
 */
#define K3_UC_BLOCK 128u
extern const unsigned char k3_uc_index[8704];
extern const unsigned char k3_uc_flags[];

/* The flags of a code point up to U+10FFFF. */
unsigned k3_uc_class(unsigned code);

/*
 * Read the symbol at 'p', which is below 'end'.  Returns its length in bytes
 * and sets '*flags'.  A length of 1 with a byte above 0x7F is a bad byte.
 */
size_t k3_uc_next(const unsigned char *p, const unsigned char *end,
    unsigned *flags);

#endif
