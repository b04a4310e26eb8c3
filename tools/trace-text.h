/*
 * trace-text.h - numbers and sentences for people
 */
#ifndef K3_TOOLS_TRACE_TEXT_H
#define K3_TOOLS_TRACE_TEXT_H

#include <stddef.h>
#include <stdio.h>

#define TRACE_TEXT 24

/*
 * Three digits and a unit, of powers of 1000: "9.79 kB".  Seconds have three
 * digits, and as many places as that takes.  Both return 'text'.
 */
const char *trace_bytes(char text[TRACE_TEXT], double bytes);
const char *trace_seconds(char text[TRACE_TEXT], double seconds);

/*
 * The shares of 'n' amounts in whole per cent, which add up to 100, or are all
 * 0 if the amounts are.
 */
void trace_percent(const double *amount, size_t n, int *percent);

/* Print a text in lines of less than 80 columns, all but the first indented. */
void trace_fold(FILE *fp, const char *text, int indent);

#endif
