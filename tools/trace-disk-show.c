/*
 * trace-disk-show.c - k3-trace disk: what was measured
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/tool-json.h"
#include "tools/tool.h"
#include "tools/trace-disk.h"

/*
 * What must have come from the device for rates to be the device's: all of it,
 * but for what a file may have in its own inode or a compressed extent.
 */
#define SHARE 0.9

static const char *const names[] = { "random", "sequential", "mixed" };

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median(double *v, uint64_t n)
{
	qsort(v, (size_t)n, sizeof(*v), compare);
	return n == 0 ? 0 : (v[(n - 1) / 2] + v[n / 2]) / 2;
}

static double
share(const struct disk *d)
{
	double part = (double)d->fetched / (double)d->arrived;

	return part < 1 ? part : 1;
}

/* Past the page cache, as far as can be known. */
static bool
direct(const struct disk *d)
{
	return d->direct && (!d->counted || share(d) >= SHARE);
}

static void
note(const struct disk *d)
{
	if (!d->counted)
		tool_note("what came from the device is not known: no "
			  "'read_bytes' in /proc/self/io");
	else if (share(d) < SHARE)
		tool_note(
		    "'%s': %.3g %% of the bytes came from a device: these "
		    "are not its rates",
		    d->o->path, 100 * share(d));
}

/* Of the rows as the engine reads, the best; else of those that there are. */
static double
best(const struct disk *d, enum disk_pattern pattern)
{
	double all = 0, same = 0;

	for (unsigned i = 0; i < d->nrow; i++) {
		const struct disk_row *row = &d->row[i];

		if (row->pattern != pattern)
			continue;
		if (row->rate > all)
			all = row->rate;
		if (row->depth == K3_IO_DEPTH && row->rate > same)
			same = row->rate;
	}
	return same > 0 ? same : all;
}

static void
show_table(const struct disk *d)
{
	puts("pattern\tsize\tdepth\treads\tbytes\tseconds\trate\tlatency");
	for (unsigned i = 0; i < d->nrow; i++) {
		const struct disk_row *row = &d->row[i];

		printf("%s\t%" PRIu64 "\t%u\t%" PRIu64 "\t%" PRIu64
		       "\t%.6g\t%.0f\t%.6g\n",
		    names[row->pattern], row->size, row->depth, row->reads,
		    row->bytes, row->seconds, row->rate, row->latency);
	}
}

static struct k3_json *
json_rows(const struct disk *d)
{
	struct k3_json *rows = k3_json_pack("[]");

	for (unsigned i = 0; i < d->nrow; i++) {
		const struct disk_row *row = &d->row[i];

		rows = k3_json_push(rows,
		    k3_json_pack("{s:s,s:I,s:i,s:I,s:I,s:f,s:I,s:f}", "pattern",
			names[row->pattern], "size", (int64_t)row->size,
			"depth", (int)row->depth, "reads", (int64_t)row->reads,
			"bytes", (int64_t)row->bytes, "seconds", row->seconds,
			"rate", (int64_t)row->rate, "latency", row->latency));
	}
	return rows;
}

static void
show_json(const struct disk *d)
{
	struct k3_json *from =
	    d->counted ? k3_json_pack("f", share(d)) : k3_json_pack("n");
	struct k3_json *json =
	    k3_json_pack("{s:i,s:o,s:b,s:o,s:s,s:o,s:I,s:I,s:I}", "k3-disk", 1,
		"path", tool_json_text(d->o->path), "direct", (int)direct(d),
		"from_device", from, "io", d->engine, "rows", json_rows(d),
		"expert_rate", (int64_t)best(d, DISK_RANDOM), "trunk_rate",
		(int64_t)best(d, DISK_SEQUENTIAL), "mixed_rate",
		(int64_t)best(d, DISK_MIXED));
	struct k3_err err;

	if (k3_json_write(json, true, stdout, "<stdout>", &err) != 0)
		tool_die(&err);
	putchar('\n');
}

void
disk_show(struct disk *d)
{
	for (unsigned i = 0; i < d->nrow; i++) {
		struct disk_row *row = &d->row[i];
		uint64_t n = row->nlatent;

		row->rate = median(row->rates, row->turns);
		row->latency =
		    median(row->latent, n < DISK_LATENT ? n : DISK_LATENT);
	}
	note(d);
	if (d->o->json)
		show_json(d);
	else
		show_table(d);
}
