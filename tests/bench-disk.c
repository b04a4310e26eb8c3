/*
 * bench-disk.c - reads past the page cache, by engine, piece and depth
 *
 * A file is written beside the build and read in windows, each engine and fio
 * (if it is here) in turn for each piece size and depth; the median of the
 * rounds is told.  The place is on 2 MB pages, as all large buffers are, and
 * once on small ones, which is what fio has.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sysexits.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/mem.h"
#include "tests/bench.h"

/* A sample; all of them go round in the file. */
#define WINDOW    ((uint64_t)128 << 20)
#define FILE_SIZE (16 * WINDOW)
#define ROUNDS    3

static const size_t pieces[] = { 256 << 10, 1 << 20, 2 << 20, 8 << 20,
	32 << 20 };
static const unsigned depths[] = { 1, 2, 4, 8, 16 };

#define NPIECE (sizeof(pieces) / sizeof(pieces[0]))
#define NDEPTH (sizeof(depths) / sizeof(depths[0]))

static const struct {
	const char *name;
	const struct k3_io_engine *engine; /* NULL: fio */
	bool small;                        /* pages */
} ways[] = { { "aio", &k3_io_aio, false }, { "pread", &k3_io_pread, false },
	{ "aio, 4 KB pages", &k3_io_aio, true }, { "fio libaio", NULL, true } };

#define NWAY (sizeof(ways) / sizeof(ways[0]))

struct disk {
	char path[4096];
	uint8_t *mem[2]; /* [small] */
	unsigned window;
	double rate[NWAY][NPIECE][NDEPTH][ROUNDS]; /* bytes a second */
	double cpu[NWAY], bytes[NWAY];             /* of all samples */
};

static double
cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* False, and said why, if it cannot be. */
static bool
make_file(struct disk *d, const struct bench *b)
{
	struct statvfs vfs;
	int fd;

	if (statvfs(b->disk, &vfs) == 0 &&
	    (uint64_t)vfs.f_bavail * vfs.f_frsize < 2 * FILE_SIZE) {
		printf("DISK  skipped: '%s' has no room\n\n", b->disk);
		return false;
	}
	snprintf(d->path, sizeof(d->path), "%s/bench-disk", b->disk);
	fd = open(d->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		err(EX_CANTCREAT, "cannot create '%s'", d->path);
	for (unsigned i = 0; i < FILE_SIZE / WINDOW; i++)
		for (uint64_t n = 0; n < WINDOW;) {
			ssize_t done = write(fd, b->pool + n, WINDOW - n);

			if (done < 0)
				err(EX_IOERR, "cannot write '%s'", d->path);
			n += (uint64_t)done;
		}
	if (fsync(fd) != 0 || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) != 0)
		err(EX_IOERR, "cannot write '%s'", d->path);
	close(fd);
	return true;
}

/* Bytes a second of one window. */
static double
read_window(struct disk *d, unsigned w, size_t piece, unsigned depth,
    uint64_t off)
{
	struct k3_io_ask ask = { ways[w].engine, NULL, depth, piece, 0 };
	struct k3_io_read read = { .off = off,
		.len = WINDOW,
		.dst = d->mem[ways[w].small],
		.what = "window" };
	struct k3_err error;
	struct k3_io *io = k3_io_open(&ask, &error);
	double begin, cpu, seconds;

	if (io == NULL ||
	    (read.file = k3_io_file(io, d->path, -1, &error)) == NULL)
		errx(error.code, "%s", error.msg);
	cpu = cpu_seconds();
	begin = k3_clock();
	k3_io_start(io, &read, true);
	if (k3_io_wait(io, &read, &error) != 0)
		errx(error.code, "%s", error.msg);
	seconds = k3_clock() - begin;
	d->cpu[w] += cpu_seconds() - cpu;
	d->bytes[w] += (double)WINDOW;
	k3_io_close(io);
	return (double)WINDOW / seconds;
}

/* The same by fio; 0 without it.  Field 7 is KB a second. */
static double
read_fio(const struct disk *d, size_t piece, unsigned depth, uint64_t off)
{
	char command[8192];
	double kb = 0;
	FILE *fp;

	snprintf(command, sizeof(command),
	    "fio --name=k3 --filename=%s --rw=read --direct=1 "
	    "--ioengine=libaio --bs=%zu --iodepth=%u --offset=%" PRIu64
	    " --size=%" PRIu64
	    " --output-format=terse --terse-version=3 2>/dev/null | cut -d ';' "
	    "-f 7",
	    d->path, piece, depth, off, WINDOW);
	fp = popen(command, "r");
	if (fp == NULL || fscanf(fp, "%lf", &kb) != 1)
		kb = 0;
	if (fp != NULL)
		pclose(fp);
	return kb * 1024;
}

static void
sample(struct disk *d, unsigned w, unsigned p, unsigned k, unsigned round)
{
	uint64_t off = d->window++ % (FILE_SIZE / WINDOW) * WINDOW;
	double *rate = &d->rate[w][p][k][round];

	if (ways[w].engine == NULL)
		*rate = read_fio(d, pieces[p], depths[k], off);
	else
		*rate = read_window(d, w, pieces[p], depths[k], off);
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void
print(struct disk *d)
{
	for (unsigned w = 0; w < NWAY; w++) {
		if (d->rate[w][0][0][0] == 0)
			continue;
		printf("  %-15s", ways[w].name);
		for (unsigned k = 0; k < NDEPTH; k++)
			printf("  depth %2u", depths[k]);
		putchar('\n');
		for (unsigned p = 0; p < NPIECE; p++) {
			printf("  %7zu KB     ", pieces[p] >> 10);
			for (unsigned k = 0; k < NDEPTH; k++) {
				double *rate = d->rate[w][p][k];

				qsort(rate, ROUNDS, sizeof(*rate), compare);
				printf("  %8.2f", rate[ROUNDS / 2] / 1e9);
			}
			putchar('\n');
		}
		if (d->bytes[w] > 0)
			printf("  CPU seconds a GB: %.3f\n",
			    d->cpu[w] / d->bytes[w] * 1e9);
	}
	putchar('\n');
}

void
bench_disk(struct bench *b)
{
	static struct disk d;
	struct k3_err error;

	if (!make_file(&d, b))
		return;
	for (unsigned small = 0; small < 2; small++) {
		d.mem[small] = k3_mem_alloc(WINDOW, "window", &error);
		if (d.mem[small] == NULL)
			errx(error.code, "%s", error.msg);
		if (small)
			madvise(d.mem[small], WINDOW, MADV_NOHUGEPAGE);
		memset(d.mem[small], 1, WINDOW);
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned p = 0; p < NPIECE; p++)
			for (unsigned k = 0; k < NDEPTH; k++)
				for (unsigned w = 0; w < NWAY; w++)
					sample(&d, w, p, k, round);
	printf("DISK  GB/s of direct reads, windows of %u MB, median of %d\n",
	    (unsigned)(WINDOW >> 20), ROUNDS);
	print(&d);
	k3_mem_free(d.mem[0], WINDOW);
	k3_mem_free(d.mem[1], WINDOW);
	unlink(d.path);
}
