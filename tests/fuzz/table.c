/*
 * table.c - any bytes as a table of k3-trace
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tools/trace-table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(int holds)
{
	if (!holds)
		abort();
}

/* Each name is found, each field is a text, and numbers are what they say. */
static void
check(const struct trace_table *t)
{
	struct k3_err err;
	double v;

	must(t->ncolumn > 0 && t->ncolumn <= TRACE_TABLE_COLUMNS);
	for (size_t i = 0; i < t->ncolumn; i++) {
		must(trace_table_column(t, t->column[i], &err) == (int)i);
		for (size_t row = 0; row < t->nrow; row++) {
			const char *text = trace_table_field(t, row, (int)i);

			must(strpbrk(text, "\t\n") == NULL);
			if (trace_table_number(t, row, (int)i, 1e18, &v,
				&err) == 0)
				must(v >= 0 && v <= 1e18);
			else
				must(err.code == EX_DATAERR);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* fmemopen() has no word for nothing. */
	FILE *fp = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "r")
			    : fopen("/dev/null", "r");
	struct k3_err err = { .msg = "" };
	struct trace_table t;

	must(fp != NULL);
	if (trace_table_read(&t, fp, "fuzz", &err) == 0) {
		check(&t);
		trace_table_free(&t);
	} else {
		must(err.code == EX_DATAERR && strchr(err.msg, '\n') == NULL);
	}
	fclose(fp);
	return 0;
}
