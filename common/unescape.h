/*
 * unescape.h - the bytes that a JSON string stands for
 */
#ifndef K3_COMMON_UNESCAPE_H
#define K3_COMMON_UNESCAPE_H

#include <stddef.h>

/*
 * Decode what stands between the quotes in place, as no escape is shorter than
 * its bytes, and check it: escapes, surrogates in pairs, UTF-8 without overlong
 * forms; U+0000 is refused.  NULL, and the new length in '*len'; or what is
 * wrong.  Control characters are the caller's to find.
 */
const char *k3_unescape(char *s, size_t *len);

#endif
