/*
 * escape.h - any bytes as printable text of one line
 */
#ifndef K3_COMMON_ESCAPE_H
#define K3_COMMON_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/*
 * Write bytes so that printf '%b' and C strings give them back: \\ for the
 * backslash, \a \b \t \n \v \f \r, and \ooo for other controls (C1, and those
 * of direction, line and paragraph too) and for bytes that are not part of
 * well-formed UTF-8.  All else stands for itself.  Returns 0, or -1 with errno
 * set.
 */
int k3_escape(FILE *fp, const char *bytes, size_t len);

/*
 * Make a string one that no terminal obeys, and that reads as it stands: '?'
 * for each byte of such a control, and for each that is not part of well-formed
 * UTF-8.
 */
void k3_escape_mask(char *text);

#endif
