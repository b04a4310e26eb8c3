/*
 * trace-text.c - numbers and sentences for people
 */
#include <math.h>
#include <string.h>

#include "tools/trace-text.h"

#define COLUMNS 79

/* Three digits of a number from 0, no matter how large. */
static int
places(double v)
{
	return v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
}

const char *
trace_bytes(char text[TRACE_TEXT], double bytes)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	size_t u = 0;

	while (bytes >= 999.5 && u + 1 < sizeof(unit) / sizeof(*unit)) {
		bytes /= 1000;
		u++;
	}
	if (bytes >= 1e6)
		snprintf(text, TRACE_TEXT, "%.3g %s", bytes, unit[u]);
	else
		snprintf(text, TRACE_TEXT, "%.*f %s",
		    u == 0 ? 0 : places(bytes), bytes, unit[u]);
	return text;
}

const char *
trace_seconds(char text[TRACE_TEXT], double seconds)
{
	int n = places(seconds);

	for (double v = seconds; v > 0 && v < 0.9995 && n < 6; v *= 10)
		n++;
	snprintf(text, TRACE_TEXT, "%.*f", n, seconds);
	return text;
}

/* What is lost by rounding down goes to those that lost most. */
void
trace_percent(const double *amount, size_t n, int *percent)
{
	double sum = 0;
	int rest = 100;

	for (size_t i = 0; i < n; i++)
		sum += amount[i];
	for (size_t i = 0; i < n; i++) {
		percent[i] = sum > 0 ? (int)(100 * (amount[i] / sum)) : 0;
		rest -= percent[i];
	}
	for (; sum > 0 && rest > 0; rest--) {
		size_t most = 0;
		double lost = -1;

		for (size_t i = 0; i < n; i++) {
			double lack = 100 * (amount[i] / sum) - percent[i];

			if (lack > lost) {
				lost = lack;
				most = i;
			}
		}
		percent[most]++;
	}
}

void
trace_fold(FILE *fp, const char *text, int indent)
{
	size_t room = COLUMNS - (size_t)indent, n;

	for (;;) {
		n = strlen(text);
		if (n > room)
			for (n = room; n > 0 && text[n] != ' '; n--)
				;
		/* A word that is longer than a line stays whole. */
		if (n == 0)
			n = strcspn(text, " ");
		fprintf(fp, "%.*s\n", (int)n, text);
		text += n;
		text += strspn(text, " ");
		if (*text == '\0')
			return;
		fprintf(fp, "%*s", indent, "");
	}
}
