/*
 * trace-file.h - an operand that is read as a whole
 */
#ifndef K3_TOOLS_TRACE_FILE_H
#define K3_TOOLS_TRACE_FILE_H

#include <stdio.h>

#include "common/err.h"

/*
 * Open a file, or standard input where it is "-" or NULL; '*name' is what
 * messages call it.  NULL with EX_NOINPUT.
 */
FILE *trace_file_open(const char *file, const char **name, struct k3_err *err);
void trace_file_close(FILE *fp);

#endif
