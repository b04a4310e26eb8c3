/*
 * trace-table.h - the tables of k3-trace, read back
 *
 * A line of names, then lines of as many fields, with tabs between them.  All
 * of it is held, so there is a limit; a table for a picture is small.
 */
#ifndef K3_TOOLS_TRACE_TABLE_H
#define K3_TOOLS_TRACE_TABLE_H

#include <stddef.h>
#include <stdio.h>

#include "common/buf.h"

#define TRACE_TABLE_BYTES   ((size_t)1 << 24)
#define TRACE_TABLE_COLUMNS 64

struct trace_table {
	const char *name; /* of the file, not copied */
	size_t ncolumn, nrow;
	char *column[TRACE_TABLE_COLUMNS];
	char **field; /* [row][column] */
	struct k3_buf text;
};

/*
 * Read to the end.  0, or -1 with nothing to free: EX_DATAERR with the line,
 * EX_IOERR or EX_OSERR.
 */
int trace_table_read(struct trace_table *t, FILE *fp, const char *name,
    struct k3_err *err);
void trace_table_free(struct trace_table *t);

/* The place of a column; -1 with EX_DATAERR, if 'err' is not NULL. */
int trace_table_column(const struct trace_table *t, const char *column,
    struct k3_err *err);

const char *trace_table_field(const struct trace_table *t, size_t row,
    int column);

/* A number from 0 to 'max'; EX_DATAERR for all else. */
int trace_table_number(const struct trace_table *t, size_t row, int column,
    double max, double *v, struct k3_err *err);

#endif
