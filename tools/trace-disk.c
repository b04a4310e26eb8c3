/*
 * trace-disk.c - k3-trace disk: how fast a device reads what the engine reads
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/mem.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/trace-disk.h"
#include "tools/trace.h"

static const char synopsis[] =
    "disk [-hqv] [--depth LIST] [--io ENGINE] [--json] [--keep]\n"
    "                [--seconds N] [--size SIZE] [path]";
static const char help[] =
    "      --depth LIST   pieces in flight (default: 1,2,4,8,16)\n"
    "  -h, --help         print this help\n"
    "      --io ENGINE    aio or pread (default: aio where it works)\n"
    "      --json         print JSON, for --disk of other tools\n"
    "      --keep         keep the probe file for the next time\n"
    "  -q, --quiet        no progress and no notes\n"
    "      --seconds N    for each row (default: 2)\n"
    "      --size SIZE    of the probe file (default: 4G or a tenth of what\n"
    "                     is free)\n"
    "  -v, --verbose      a line for each file that is read\n";

noreturn void
disk_die(struct disk *d, const struct k3_err *err)
{
	tool_progress_clear(&d->progress);
	if (tool_signal_stop())
		tool_signal_die();
	tool_die(err);
}

/* The numbers of --depth, with commas between them. */
static void
parse_depths(struct disk_options *o, char *list)
{
	char *word;

	o->ndepth = 0;
	while ((word = strsep(&list, ",")) != NULL) {
		if (o->ndepth == DISK_DEPTHS) {
			struct k3_err err;

			k3_fail(&err, EX_USAGE,
			    "more than %d numbers for --depth", DISK_DEPTHS);
			tool_die(&err);
		}
		o->depth[o->ndepth++] =
		    (unsigned)tool_number("--depth", word, 1, K3_IO_MAX_DEPTH);
	}
}

static void
parse_engine(struct disk_options *o, const char *name)
{
	struct k3_err err;

	o->engine = k3_io_engine(name, &err);
	if (o->engine == NULL)
		tool_die(&err);
}

static void
parse(struct disk_options *o, int argc, char *argv[])
{
	enum {
		DEPTH = 256,
		IO,
		JSON,
		KEEP,
		SECONDS,
		SIZE,
	};
	static const struct option longopts[] = {
		{ "depth", required_argument, NULL, DEPTH },
		{ "help", no_argument, NULL, 'h' },
		{ "io", required_argument, NULL, IO },
		{ "json", no_argument, NULL, JSON },
		{ "keep", no_argument, NULL, KEEP },
		{ "quiet", no_argument, NULL, 'q' },
		{ "seconds", required_argument, NULL, SECONDS },
		{ "size", required_argument, NULL, SIZE },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "hqv", longopts)) != -1) {
		switch (c) {
		case DEPTH:
			parse_depths(o, optarg);
			break;
		case 'h':
			tool_help(synopsis, help);
		case IO:
			parse_engine(o, optarg);
			break;
		case JSON:
			o->json = true;
			break;
		case KEEP:
			o->keep = true;
			break;
		case 'q':
			o->quiet = true;
			tool_quiet();
			break;
		case SECONDS:
			o->seconds = tool_seconds("--seconds", optarg);
			break;
		case SIZE:
			o->size = tool_size("--size", optarg);
			break;
		case 'v':
			o->verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
	if (argc - optind > 1)
		tool_usage(synopsis);
	o->path = argv[optind];
}

/* The operand, or the model, or where we are. */
static void
choose_path(struct disk_options *o)
{
	const char *model = getenv("K3_MODEL");

	if (o->path == NULL)
		o->path = model != NULL && model[0] != '\0' ? model : ".";
}

static void
add_row(struct disk *d, enum disk_pattern pattern, unsigned depth)
{
	static const char *const what[] = { "experts at random",
		"trunk in order", "both" };
	struct disk_row *row = &d->row[d->nrow++];

	row->pattern = pattern;
	row->size = pattern == DISK_SEQUENTIAL ? d->trunk : d->expert;
	row->depth = depth;
	snprintf(row->what, sizeof(row->what), "reading %s, depth %u",
	    what[pattern], depth);
}

/* Experts are as large as somebody's config.json says. */
static void
take_memory(struct disk *d)
{
	uint64_t bytes = disk_memory(d), room = k3_mem_available();
	struct k3_err err;

	if (bytes > room / 2) {
		k3_fail(&err, EX_UNAVAILABLE,
		    "cannot measure '%s': reads take %" PRIu64
		    " bytes of memory, and %" PRIu64 " are available",
		    d->o->path, bytes, room);
		disk_die(d, &err);
	}
	d->mem = k3_mem_alloc(bytes, "reads", &err);
	if (d->mem == NULL || k3_mem_touch(d->mem, bytes, "reads", &err) != 0)
		disk_die(d, &err);
}

/*
 * Turn by turn, so that what else the disk is asked for meets all rows alike.
 * On a slow disk, where the end of each turn is long to wait for, there are
 * fewer of them.
 */
static void
measure(struct disk *d)
{
	double start = k3_clock(), whole;

	for (unsigned i = 0; i < d->o->ndepth; i++)
		add_row(d, DISK_RANDOM, d->o->depth[i]);
	add_row(d, DISK_SEQUENTIAL, K3_IO_DEPTH);
	add_row(d, DISK_MIXED, K3_IO_DEPTH);
	take_memory(d);
	whole = d->o->seconds * d->nrow;
	tool_progress_init(&d->progress, TOOL_MILLISECONDS,
	    (uint64_t)(whole * 1e3), d->o->quiet, d->o->verbose);
	d->direct = d->counted = true;
	for (unsigned turn = 0; turn < DISK_TURNS; turn++)
		for (unsigned i = 0; i < d->nrow; i++)
			if (turn == 0 || k3_clock() - start < 2 * whole)
				disk_turn(d, &d->row[i],
				    d->o->seconds / DISK_TURNS);
	tool_progress_clear(&d->progress);
	k3_mem_free(d->mem, disk_memory(d));
}

int
trace_disk(int argc, char *argv[])
{
	static struct disk_options o = { .depth = { 1, 2, 4, 8, 16 },
		.ndepth = 5,
		.seconds = 2 };
	static struct disk d = { .o = &o };

	parse(&o, argc, argv);
	choose_path(&o);
	tool_signal_init();
	disk_place(&d);
	measure(&d);
	disk_show(&d);
	return tool_finish();
}
