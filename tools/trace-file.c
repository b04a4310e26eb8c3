/*
 * trace-file.c - an operand that is read as a whole
 */
#include <string.h>

#include "tools/trace-file.h"

FILE *
trace_file_open(const char *file, const char **name, struct k3_err *err)
{
	FILE *fp;

	*name = "<stdin>";
	if (file == NULL || strcmp(file, "-") == 0)
		return stdin;
	*name = file;
	fp = fopen(file, "re");
	if (fp == NULL)
		k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", file);
	return fp;
}

void
trace_file_close(FILE *fp)
{
	if (fp != stdin)
		fclose(fp);
}
