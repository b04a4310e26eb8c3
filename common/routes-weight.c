/*
 * routes-weight.c - a decimal number becomes the float32 that it stands for
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/routes-impl.h"

/* Skip digits, at least one, and take them into '*v' while they fit. */
static const char *
digits(const char *s, uint64_t *v, int *n)
{
	const char *first = s;

	for (; *s >= '0' && *s <= '9'; s++) {
		if (*n < 19)
			*v = *v * 10 + (uint64_t)(*s - '0');
		*n += *v != 0;
	}
	return s > first ? s : NULL;
}

/*
 * Half way between two float32, which a number beside it may have been rounded
 * to: another rounding would not know to which side.  Not for subnormal ones.
 */
static bool
is_tie(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return (bits & 0x1fffffff) == 0x10000000;
}

/*
 * strtof() would cost the reader two thirds more time.  Here a double holds
 * both the digits and the power of ten, so that their product or quotient is
 * rounded once, and never across the half between two float32, only to it.
 */
float
k3_routes_weight(const char *text)
{
	static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
		1e19, 1e20, 1e21, 1e22 };
	const char *s = text + (*text == '-'), *point;
	uint64_t v = 0, e = 0;
	int n = 0, ne = 0, down = 0, up;
	double x;

	if ((s = digits(s, &v, &n)) == NULL)
		return NAN;
	if (*s == '.') {
		point = s + 1;
		if ((s = digits(point, &v, &n)) == NULL)
			return NAN;
		down = (int)(s - point);
	}
	if (*s == 'e' || *s == 'E') {
		bool minus = s[1] == '-';

		s = digits(s + 1 + (minus || s[1] == '+'), &e, &ne);
		if (s == NULL)
			return NAN;
		if (ne < 5)
			down += minus ? (int)e : -(int)e;
	}
	if (*s != '\0')
		return NAN;
	up = -down;
	if (n > 15 || ne >= 5 || up > 22 || down > 22)
		return strtof(text, NULL);
	x = up > 0 ? (double)v * power[up] : (double)v / power[down];
	if (is_tie(x))
		return strtof(text, NULL);
	return (float)(*text == '-' ? -x : x);
}
