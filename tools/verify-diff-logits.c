/*
 * verify-diff-logits.c - two files of logits: rows of float32
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/verify-diff.h"

#define BLOCK ((size_t)4 << 20)

struct input {
	const char *name;
	FILE *fp;
	uint8_t *data; /* [BLOCK] */
	uint64_t got;  /* bytes so far */
	size_t n;      /* of which in data */
};

static int
begin(struct input *in, const char *path, const char *name, uint64_t *size,
    struct k3_err *err)
{
	in->name = name;
	if ((in->fp = diff_open(path, size, err)) == NULL)
		return -1;
	if ((in->data = malloc(BLOCK)) != NULL)
		return 0;
	return k3_fail(err, EX_OSERR, "cannot allocate %zu bytes", BLOCK);
}

static int
fill(struct input *in, struct k3_err *err)
{
	in->n = fread(in->data, 1, BLOCK, in->fp);
	in->got += in->n;
	if (ferror(in->fp))
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    in->name);
	return 0;
}

/* It has ended: in whole rows? */
static int
check_end(const struct diff *d, const struct input *in, struct k3_err *err)
{
	uint64_t row = 4 * (d->width > 0 ? d->width : 1);

	if (in->n == BLOCK || in->got % row == 0)
		return 0;
	return k3_fail(err, EX_DATAERR,
	    "'%s': %" PRIu64 " bytes are not whole rows of %" PRIu64 " float32",
	    in->name, in->got, row / 4);
}

/* One may be endless, so that its rows are not counted. */
static bool
lengths_differ(struct diff *d, const struct input in[2])
{
	int less = in[0].got > in[1].got;
	uint64_t n = in[less].got / 4;

	if (in[0].got == in[1].got)
		return false;
	if (d->width > 0)
		diff_found(d, "'%s' ends after %" PRIu64 " rows, '%s' goes on",
		    d->name[less], n / d->width, d->name[!less]);
	else
		diff_found(d,
		    "'%s' ends after %" PRIu64 " elements, '%s' goes on",
		    d->name[less], n, d->name[!less]);
	return true;
}

static int
compare(struct diff *d, struct input in[2], struct k3_err *err)
{
	struct diff_tensor t = { .layer = "",
		.name = "",
		.row = d->width > 0 ? "row" : "",
		.grows = true,
		.compared = true };
	size_t n;

	k3_compare_init(&t.c, K3_F32, d->width > 0 ? d->width : UINT64_MAX,
	    &d->limit);
	do {
		if (fill(&in[0], err) != 0 || fill(&in[1], err) != 0)
			return -1;
		tool_progress_add(&d->progress, in[0].n + in[1].n);
		n = in[0].n < in[1].n ? in[0].n : in[1].n;
		k3_compare_add(&t.c, in[0].data, in[1].data, n / 4, t.c.n);
	} while (n == BLOCK);
	tool_progress_clear(&d->progress);
	if (check_end(d, &in[0], err) != 0 || check_end(d, &in[1], err) != 0)
		return -1;
	diff_file(d, &t, 1, lengths_differ(d, in));
	return 0;
}

int
diff_logits(struct diff *d, const char *const path[2], struct k3_err *err)
{
	struct input in[2] = { { .fp = NULL }, { .fp = NULL } };
	uint64_t size[2] = { 0, 0 };
	int bad = 0;

	for (int i = 0; i < 2 && bad == 0; i++)
		bad = begin(&in[i], path[i], d->name[i], &size[i], err);
	if (bad == 0) {
		tool_progress_init(&d->progress, TOOL_BYTES, size[0] + size[1],
		    d->quiet, d->verbose);
		d->progress.what = "comparing logits";
		bad = compare(d, in, err);
	}
	for (int i = 0; i < 2; i++) {
		if (in[i].fp != NULL)
			diff_close(in[i].fp);
		free(in[i].data);
	}
	return bad;
}
