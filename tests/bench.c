/*
 * bench.c - measures this machine, each kernel against it, and whole passes
 */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "common/cpu.h"
#include "common/mem.h"
#include "tests/bench.h"

static const char synopsis[] =
    "usage: bench [--big DIR] [--decode PROGRAM] [--disk DIR] [--quick]\n"
    "             [--slice DIR] [--threads N] [--toy PROGRAM] [WORD ...]\n"
    "A WORD is a section (machine disk kernels slice memory stream) or a kernel;\n"
    "without one, all run.  The slice is written to DIR if it is not there and the\n"
    "disk has room.\n";

static const struct option longopts[] = {
	{ "big", required_argument, NULL, 'b' },
	{ "decode", required_argument, NULL, 'd' },
	{ "disk", required_argument, NULL, 'D' },
	{ "quick", no_argument, NULL, 'q' },
	{ "slice", required_argument, NULL, 's' },
	{ "threads", required_argument, NULL, 'j' },
	{ "toy", required_argument, NULL, 't' },
	{ NULL, 0, NULL, 0 },
};

static const char *const sections[] = { "machine", "disk", "kernels", "slice",
	"memory", "stream" };

bool
bench_wants(const struct bench *b, const char *word)
{
	for (unsigned i = 0; i < b->nword; i++)
		if (strcmp(b->word[i], word) == 0)
			return true;
	return b->nword == 0;
}

/* Is any word a kernel's name, and none of them "kernels"? */
static bool
names_kernel(const struct bench *b)
{
	bool other = false;

	for (unsigned i = 0; i < b->nword; i++) {
		bool section = false;

		for (size_t k = 0; k < sizeof(sections) / sizeof(*sections);
		     k++)
			section |= strcmp(b->word[i], sections[k]) == 0;
		other |= !section;
	}
	return other;
}

/*
 * Random bf16 of both signs from 2^-8 to 1.  Read as float32 they are finite
 * too, and as MXFP4 codes anything is.
 */
static void
fill_pool(uint8_t *p)
{
	uint64_t x = 0x9e3779b97f4a7c15u;

	for (size_t i = 0; i < BENCH_POOL; i += sizeof(x)) {
		uint64_t w;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		/* Of 16 bits: sign, exponent 0111 1xxx, mantissa. */
		w = (x & 0x83ff83ff83ff83ffu) | 0x3c003c003c003c00u;
		memcpy(p + i, &w, sizeof(w));
	}
}

static void
parse(struct bench *b, int argc, char *argv[])
{
	unsigned long threads = k3_par_default();
	char *end;
	int c;

	while ((c = getopt_long(argc, argv, "", longopts, NULL)) != -1)
		switch (c) {
		case 'b':
			b->big = optarg;
			break;
		case 'd':
			b->decode = optarg;
			break;
		case 'j':
			threads = strtoul(optarg, &end, 10);
			if (*end != '\0' || threads < 1 ||
			    threads > K3_MAX_THREADS)
				errx(EX_USAGE, "bad number of threads '%s'",
				    optarg);
			break;
		case 'D':
			b->disk = optarg;
			break;
		case 'q':
			b->quick = true;
			break;
		case 's':
			b->slice = optarg;
			break;
		case 't':
			b->toy = optarg;
			break;
		default:
			fputs(synopsis, stderr);
			exit(EX_USAGE);
		}
	b->word = argv + optind;
	b->nword = (unsigned)(argc - optind);
	b->width[0] = 1;
	b->width[1] = (unsigned)threads;
	b->nwidth = threads > 1 ? 2 : 1;
}

int
main(int argc, char *argv[])
{
	struct bench b = { .cpu = k3_cpu_best(), .disk = "." };
	struct k3_err e;

	setvbuf(stdout, NULL, _IOLBF, 0);
	parse(&b, argc, argv);
	b.pool = k3_mem_alloc(BENCH_POOL, "pool", &e);
	if (b.pool == NULL)
		errx(e.code, "%s", e.msg);
	fill_pool(b.pool);
	if (bench_wants(&b, "machine"))
		bench_machine(&b);
	if (bench_wants(&b, "disk"))
		bench_disk(&b);
	if (bench_wants(&b, "kernels") || names_kernel(&b)) {
		bench_mul(&b);
		bench_step(&b);
		bench_elem(&b);
		bench_check(&b);
	}
	if (bench_wants(&b, "slice"))
		bench_slice(&b);
	k3_mem_free(b.pool, BENCH_POOL);
	if (bench_wants(&b, "memory"))
		bench_memory(&b);
	if (bench_wants(&b, "stream"))
		bench_stream(&b);
	bench_targets(&b);
	if (fclose(stdout) != 0)
		err(EX_IOERR, "cannot write '<stdout>'");
	return b.failed;
}
