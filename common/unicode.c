/*
 * unicode.c - UTF-8, and what Unicode 16 says about a code point
 */
#include "common/unicode.h"

unsigned
k3_uc_class(unsigned code)
{
	return k3_uc_flags[k3_uc_index[code / K3_UC_BLOCK] * K3_UC_BLOCK +
			   code % K3_UC_BLOCK];
}

/*
 * Well-formed is what table 3-7 of the Unicode Standard lists: only the second
 * byte has limits that depend on the first, which keep out overlong forms (E0,
 * F0), surrogates (ED) and what is beyond U+10FFFF (F4).
 */
size_t
k3_uc_next(const unsigned char *p, const unsigned char *end, unsigned *flags)
{
	unsigned code, low = 0x80, high = 0xbf;
	size_t len;

	if (p[0] < 0x80) {
		*flags = k3_uc_flags[p[0]];
		return 1;
	}
	*flags = 0;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 1;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if ((size_t)(end - p) < len)
		return 1;
	if (p[0] == 0xe0)
		low = 0xa0;
	else if (p[0] == 0xed)
		high = 0x9f;
	else if (p[0] == 0xf0)
		low = 0x90;
	else if (p[0] == 0xf4)
		high = 0x8f;
	if (p[1] < low || p[1] > high)
		return 1;
	code = p[0] & (0x7fu >> len);
	code = code << 6 | (p[1] & 0x3fu);
	for (size_t i = 2; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		code = code << 6 | (p[i] & 0x3fu);
	}
	*flags = k3_uc_class(code);
	return len;
}
