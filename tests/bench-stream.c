/*
 * bench-stream.c - the slice with less memory than it has bytes
 *
 * k3-decode runs at five budgets, in turns with fio, which reads one of the
 * slice's files in pieces of the same size and depth, on 2 MB pages as the
 * engine has them.  What is told are medians over the rounds, of the tokens
 * after the prompt; a ratio compares what was taken in the same round.
 *
 * The bound of a token is the larger of its compute, as it is with all in
 * memory, and its bytes at fio's rate.  What is predicted comes from the plan,
 * from the rate at which the queue of reads alone reads that file in the same
 * round, from the rate at which weights go through compute with all in memory,
 * and from the hits of the run: of the toy's routes no record says anything.
 */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "common/clock.h"
#include "common/io.h"
#include "common/mem.h"
#include "common/predict.h"
#include "common/st.h"
#include "tests/bench.h"

#define ROUNDS 3

/* What io.c chooses. */
#define PIECE ((uint64_t)2 << 20)
#define DEPTH 8

/* Bytes that are read for a sample, of a file that has 1.9 GB. */
#define SAMPLE ((uint64_t)768 << 20)
#define PLACE  (SAMPLE / 2)

#define CHUNK 64

enum field {
	TRUNK, /* bytes a token */
	EXPERTS,
	BUSY, /* seconds a token with a piece in flight */
	COMPUTE,
	TRUNK_WAIT,
	EXPERT_WAIT,
	WALL,
	HITS, /* of all that were demanded */
	FIO,  /* bytes a second */
	DISK, /* alone */
	RATE, /* in the run */
	NFIELD
};

static const struct {
	const char *name;
	unsigned quarters; /* of the slice; 0: the least that works */
	unsigned prompt;   /* of all, so long that the experts are there */
} kinds[] = { { "least", 0, 4 }, { "a quarter", 1, 4 }, { "half", 2, 4 },
	{ "3 quarters", 3, 4 }, { "all", 5, CHUNK } };

#define NKIND (sizeof(kinds) / sizeof(*kinds))
#define ALL   (NKIND - 1)

struct stream {
	const char *dir;
	char file[4096]; /* that fio reads */
	struct k3_cfg cfg;
	struct k3_st *st;
	struct k3_plan plan[NKIND];
	uint64_t peak[NKIND];
	double value[NKIND][NFIELD][ROUNDS];
};

/* Bytes a second; 0 without fio.  Field 7 is KB a second. */
static double
fio(const struct stream *s, unsigned n)
{
	char command[8192];
	double kb = 0;
	FILE *fp;

	snprintf(command, sizeof(command),
	    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1 fio --name=k3 "
	    "--filename='%s' --readonly --rw=read --direct=1 "
	    "--ioengine=libaio --iomem_align=2m --bs=%" PRIu64
	    " --iodepth=%u --offset=%" PRIu64 " --size=%" PRIu64
	    " --output-format=terse --terse-version=3 2>/dev/null | "
	    "cut -d ';' -f 7",
	    s->file, PIECE, DEPTH, n % 2 * SAMPLE, SAMPLE);
	fp = popen(command, "r");
	if (fp == NULL || fscanf(fp, "%lf", &kb) != 1)
		kb = 0;
	if (fp != NULL)
		pclose(fp);
	return kb * 1024;
}

/* The same by the queue of reads. */
static double
disk(const struct stream *s, unsigned n)
{
	struct k3_io_ask ask = { 0 };
	struct k3_err e;
	struct k3_io *io = k3_io_open(&ask, &e);
	uint8_t *place = k3_mem_alloc(PLACE, "place", &e);
	struct k3_io_read read = { .len = PLACE,
		.dst = place,
		.what = "sample" };
	double begin;

	if (io == NULL || place == NULL ||
	    (read.file = k3_io_file(io, s->file, -1, &e)) == NULL)
		errx(e.code, "%s", e.msg);
	memset(place, 1, PLACE);
	begin = k3_clock();
	for (unsigned i = 0; i < SAMPLE / PLACE; i++) {
		read.off = n % 2 * SAMPLE + i * PLACE;
		k3_io_start(io, &read, false);
		if (k3_io_wait(io, &read, &e) != 0)
			errx(e.code, "%s", e.msg);
	}
	begin = k3_clock() - begin;
	k3_io_close(io);
	k3_mem_free(place, PLACE);
	return SAMPLE / begin;
}

static double
number(const struct k3_json *pass, const char *object, const char *key)
{
	return k3_json_real(k3_json_get(k3_json_get(pass, object), key));
}

static bool
run(struct bench *b, struct stream *s, size_t kind, unsigned round)
{
	double at[NFIELD] = { 0 }, bytes = 0;
	struct k3_json *json = bench_decode(b, s->dir, s->plan[kind].ask.ram,
	    CHUNK, kinds[kind].prompt);
	const struct k3_json *passes = k3_json_get(json, "passes");
	size_t n = k3_json_size(passes);
	uint64_t peak = (uint64_t)k3_json_int(k3_json_get(json, "peak_bytes"));

	for (size_t i = 1; i < n; i++) {
		const struct k3_json *p = k3_json_at(passes, i);

		at[TRUNK] += number(p, "counters", "trunk_bytes");
		at[EXPERTS] += number(p, "counters", "expert_bytes");
		at[BUSY] += number(p, "reads", "busy");
		at[COMPUTE] += number(p, "seconds", "compute");
		at[TRUNK_WAIT] += number(p, "seconds", "trunk_wait");
		at[EXPERT_WAIT] += number(p, "seconds", "expert_wait");
		at[WALL] += number(p, "seconds", "wall");
		bytes += number(p, "reads", "bytes");
		at[HITS] += number(p, "counters", "hits") /
			    number(p, "counters", "demands");
	}
	k3_json_free(json);
	for (int f = 0; f < FIO && n > 1; f++)
		s->value[kind][f][round] = at[f] / (double)(n - 1);
	s->value[kind][RATE][round] = at[BUSY] > 0 ? bytes / at[BUSY] : 0;
	if (peak > s->peak[kind])
		s->peak[kind] = peak;
	return n > 1;
}

static double
middle(double x[ROUNDS])
{
	struct bench_turn turn = { 0 };

	memcpy(turn.second, x, sizeof(*x) * ROUNDS);
	bench_median(&turn, ROUNDS);
	return turn.median;
}

/* Wall, as a multiple of the bound of the same round. */
static double
of_bound(struct stream *s, size_t kind)
{
	double ratio[ROUNDS], compute = middle(s->value[ALL][COMPUTE]);

	for (unsigned r = 0; r < ROUNDS; r++) {
		double bytes =
		    s->value[kind][TRUNK][r] + s->value[kind][EXPERTS][r];
		double bound = bytes / s->value[kind][FIO][r];

		ratio[r] = s->value[kind][WALL][r] /
			   (bound > compute ? bound : compute);
	}
	return middle(ratio);
}

/* Seconds a token, from what else was measured in that round. */
static double
predicted(struct stream *s, size_t kind, unsigned round)
{
	const struct k3_plan *plan = &s->plan[kind];
	double weights =
	    (double)k3_plan_matrices(plan) + (double)k3_plan_expert_reads(plan);
	double disk = s->value[kind][DISK][round];
	struct k3_speed speed = { .trunk = disk,
		.experts = disk,
		.memory = weights / middle(s->value[ALL][COMPUTE]) };
	struct k3_cost cost;
	struct k3_load load;

	k3_predict_load(plan, &load);
	k3_predict_token(&load, &speed, s->value[kind][HITS][round], &cost);
	return cost.seconds;
}

static double
of_fio(struct stream *s, size_t kind)
{
	double ratio[ROUNDS];

	for (unsigned r = 0; r < ROUNDS; r++)
		ratio[r] = s->value[kind][RATE][r] / s->value[kind][FIO][r];
	return middle(ratio);
}

static void
print(struct bench *b, struct stream *s, size_t kind)
{
	double m[NFIELD];
	double budget = (double)s->plan[kind].ask.ram, ratio[ROUNDS],
	       seconds[ROUNDS];
	bool over = s->peak[kind] > s->plan[kind].ask.ram;

	for (int f = 0; f < NFIELD; f++)
		m[f] = middle(s->value[kind][f]);
	for (unsigned r = 0; r < ROUNDS; r++) {
		seconds[r] = predicted(s, kind, r);
		ratio[r] = seconds[r] / s->value[kind][WALL][r];
	}
	printf("%-10s %6.2f %6.2f %7.3f %7.3f %6.2f %6.3f %7.3f %7.3f %7.3f "
	       "%7.3f %7.2f",
	    kinds[kind].name, budget / 1e9, (double)s->peak[kind] / 1e9,
	    m[TRUNK] / 1e9, m[EXPERTS] / 1e9, m[RATE] / 1e9, m[BUSY],
	    m[COMPUTE], m[TRUNK_WAIT], m[EXPERT_WAIT], m[WALL],
	    middle(seconds));
	if (m[FIO] > 0)
		printf(" %7.2f", of_bound(s, kind));
	printf("%s\n", over ? "  OVER" : "");
	b->failed |= over;
	if (kind == ALL)
		return;
	bench_target(b, fabs(middle(ratio) - 1), 0.20, true,
	    "a token, %s of the slice, off predicted", kinds[kind].name);
	if (m[FIO] == 0)
		return;
	bench_target(b, of_fio(s, kind), 0.90, false,
	    "reads, %s of the slice, of fio's", kinds[kind].name);
	bench_target(b, of_bound(s, kind), 1.10, true,
	    "a token, %s of the slice, of its bound", kinds[kind].name);
}

/* Plans, and a file of routed experts. */
static bool
look(struct bench *b, struct stream *s)
{
	struct k3_err e;
	uint64_t bytes, least;

	if (!bench_budget(b, s->dir, CHUNK, &bytes, &least))
		return false;
	if (k3_cfg_load(&s->cfg, s->dir, &e) != 0 ||
	    (s->st = k3_st_open(s->dir, &s->cfg, &e)) == NULL)
		errx(e.code, "%s", e.msg);
	for (size_t i = 0; i < NKIND; i++) {
		uint64_t want = bytes / 4 * kinds[i].quarters;
		struct k3_plan_ask ask;

		bench_ask(b, CHUNK, &ask);
		ask.ram = want > least ? want : least;
		if (k3_plan_make(&s->plan[i], &s->cfg, s->st, &ask, &e) != 0)
			errx(e.code, "%s", e.msg);
	}
	snprintf(s->file, sizeof(s->file), "%s",
	    k3_st_path(s->st,
		k3_st_part(s->st, s->cfg.nlayer - 1, 0, K3_P_W1).file));
	if (s->plan[ALL].total <= k3_mem_available())
		return true;
	printf("STREAM  skipped: %.1f GB of memory are not free\n\n",
	    (double)s->plan[ALL].total / 1e9);
	k3_st_close(s->st);
	return false;
}

void
bench_stream(struct bench *b)
{
	static struct stream s;
	bool here = system("command -v fio >/dev/null") == 0;

	s.dir = bench_find_slice(b, "STREAM");
	if (s.dir == NULL || b->decode == NULL || !look(b, &s))
		return;
	for (unsigned r = 0; r < ROUNDS; r++)
		for (size_t i = 0; i < NKIND; i++) {
			s.value[i][DISK][r] = disk(&s, r);
			if (here)
				s.value[i][FIO][r] = fio(&s, r);
			if (!run(b, &s, i, r))
				errx(EX_SOFTWARE, "k3-decode failed");
		}
	printf("STREAM  the slice from the disk, a token, median of %d; pieces "
	       "of %d MB, depth %d\n",
	    ROUNDS, (int)(PIECE >> 20), DEPTH);
	if (here)
		printf("  fio, the same: %.2f GB/s; ",
		    middle(s.value[0][FIO]) / 1e9);
	else
		printf("  fio skipped: not installed; ");
	printf("the queue of reads alone: %.2f GB/s\n",
	    middle(s.value[0][DISK]) / 1e9);
	printf("%-10s %6s %6s %7s %7s %6s %6s %7s %7s %7s %7s %7s %7s\n",
	    "budget", "GB", "peak", "trunk", "experts", "GB/s", "busy",
	    "compute", "t.wait", "e.wait", "wall", "predict", "bound");
	for (size_t i = 0; i < NKIND; i++)
		print(b, &s, i);
	k3_st_close(s.st);
	putchar('\n');
}
