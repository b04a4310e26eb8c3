/*
 * trace-table.c - the tables of k3-trace, read back
 */
#include <stdlib.h>
#include <string.h>

#include "tools/trace-table.h"

static int
load(struct trace_table *t, FILE *fp, struct k3_err *err)
{
	while (!feof(fp) && !ferror(fp)) {
		if (k3_buf_need(&t->text, BUFSIZ, err) != 0)
			return -1;
		t->text.len += fread(t->text.data + t->text.len, 1, BUFSIZ, fp);
		if (t->text.len > TRACE_TABLE_BYTES)
			return k3_fail(err, EX_DATAERR,
			    "'%s': more than %zu bytes of table", t->name,
			    TRACE_TABLE_BYTES);
	}
	if (ferror(fp))
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    t->name);
	if (t->text.len == 0)
		return k3_fail(err, EX_DATAERR, "'%s' line 1: no names",
		    t->name);
	if (t->text.data[t->text.len - 1] != '\n')
		return k3_buf_put(&t->text, "\n", 1, err);
	return 0;
}

/* Cut the line at 'p' into fields, at most 'max' of them, and count all. */
static size_t
cut(char *p, char **field, size_t max)
{
	size_t n = 0;

	for (;;) {
		if (n < max)
			field[n] = p;
		n++;
		p = strchr(p, '\t');
		if (p == NULL)
			return n;
		*p++ = '\0';
	}
}

static int
names(struct trace_table *t, char *line, struct k3_err *err)
{
	t->ncolumn = cut(line, t->column, TRACE_TABLE_COLUMNS);
	if (t->ncolumn > TRACE_TABLE_COLUMNS)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line 1: %zu columns (want at most %d)", t->name,
		    t->ncolumn, TRACE_TABLE_COLUMNS);
	for (size_t i = 0; i < t->ncolumn; i++) {
		if (t->column[i][0] == '\0')
			return k3_fail(err, EX_DATAERR,
			    "'%s' line 1: column %zu has no name", t->name,
			    i + 1);
		for (size_t j = 0; j < i; j++)
			if (strcmp(t->column[i], t->column[j]) == 0)
				return k3_fail(err, EX_DATAERR,
				    "'%s' line 1: columns %zu and %zu have "
				    "the same name",
				    t->name, j + 1, i + 1);
	}
	return 0;
}

static int
lines(struct trace_table *t, struct k3_err *err)
{
	char *p = t->text.data, *end = p + t->text.len, *next;
	size_t n = 0, got;

	for (char *q = p; q < end; q++)
		n += *q == '\n';
	for (size_t line = 1; p < end; line++, p = next) {
		next = memchr(p, '\n', (size_t)(end - p));
		*next++ = '\0';
		if (strlen(p) + 1 != (size_t)(next - p))
			return k3_fail(err, EX_DATAERR,
			    "'%s' line %zu: a NUL byte", t->name, line);
		if (line == 1) {
			if (names(t, p, err) != 0)
				return -1;
			t->field =
			    calloc(n * t->ncolumn + 1, sizeof(*t->field));
			if (t->field == NULL)
				return k3_fail(err, EX_OSERR,
				    "cannot read '%s': out of memory", t->name);
			continue;
		}
		got = cut(p, t->field + t->nrow * t->ncolumn, t->ncolumn);
		if (got != t->ncolumn)
			return k3_fail(err, EX_DATAERR,
			    "'%s' line %zu: %zu fields (want %zu)", t->name,
			    line, got, t->ncolumn);
		t->nrow++;
	}
	return 0;
}

int
trace_table_read(struct trace_table *t, FILE *fp, const char *name,
    struct k3_err *err)
{
	memset(t, 0, sizeof(*t));
	t->name = name;
	if (load(t, fp, err) == 0 && lines(t, err) == 0)
		return 0;
	trace_table_free(t);
	return -1;
}

void
trace_table_free(struct trace_table *t)
{
	free(t->field);
	k3_buf_fini(&t->text);
	memset(t, 0, sizeof(*t));
}

int
trace_table_column(const struct trace_table *t, const char *column,
    struct k3_err *err)
{
	for (size_t i = 0; i < t->ncolumn; i++)
		if (strcmp(t->column[i], column) == 0)
			return (int)i;
	if (err != NULL)
		k3_fail(err, EX_DATAERR, "'%s' line 1: no column '%s'", t->name,
		    column);
	return -1;
}

const char *
trace_table_field(const struct trace_table *t, size_t row, int column)
{
	return t->field[row * t->ncolumn + (size_t)column];
}

int
trace_table_number(const struct trace_table *t, size_t row, int column,
    double max, double *v, struct k3_err *err)
{
	const char *text = trace_table_field(t, row, column);
	char *end = NULL;

	/* strtod() takes more: blanks, nan, hexadecimal. */
	if (*text != '\0' && text[strspn(text, "0123456789.e+-")] == '\0')
		*v = strtod(text, &end);
	if (end == NULL || *end != '\0' || !(*v >= 0 && *v <= max))
		return k3_fail(err, EX_DATAERR,
		    "'%s' line %zu: %s is not a number from 0 to %g", t->name,
		    row + 2, t->column[column], max);
	return 0;
}
