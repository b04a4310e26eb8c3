/*
 * bench.h - the parts of bench, which measures this machine and what runs on it
 *
 * A rate is only worth something beside what the machine can do at the same
 * moment.  So whatever is timed is timed in turns: each round takes a sample
 * of memory reads, of FMAs and of every variant, and a percentage compares
 * medians over the same rounds.  A variant's result is compared with the
 * scalar definition, on the shape that is timed, before its time is taken.
 *
 * The parts end the program by err(3) when the machine has no memory left.
 */
#ifndef K3_TESTS_BENCH_H
#define K3_TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/json.h"
#include "common/par.h"
#include "common/plan.h"
#include "kernels/kernels.h"

#define BENCH_ROUNDS 5

/* Weights to work on, and to read: many times any cache, touched once. */
#define BENCH_POOL ((size_t)1 << 30)

/* What is to be reached, and was. */
struct bench_target {
	char what[48];
	double reached, target;
	bool most; /* at most that, not at least */
};
#define BENCH_TARGETS 48

struct bench {
	unsigned cpu;      /* best level */
	unsigned nwidth;   /* 1, or 2: one thread, and all */
	unsigned width[2]; /* threads */
	uint8_t *pool;     /* [BENCH_POOL]: bf16 of at most 1 */
	char **word;       /* [nword]: what to run; all if there is none */
	unsigned nword;
	bool quick; /* fewer shapes, shorter samples */
	const char *decode, *toy, *big, *slice; /* programs and folders */
	const char *disk;                       /* folder to measure */
	bool failed; /* a budget was exceeded, or bits differ */
	struct bench_target target[BENCH_TARGETS];
	unsigned ntarget;
};

/* bench.c: is this section, or this kernel of it, asked for? */
bool bench_wants(const struct bench *b, const char *word);

/* One thing to time, in turn with others. */
struct bench_turn {
	void (*fn)(void *arg);
	void (*before)(void *arg); /* not timed; then a sample is one call */
	void *arg;
	unsigned calls;              /* in a sample */
	double second[BENCH_ROUNDS]; /* a call takes, round by round */
	double median, best, spread; /* spread: (slowest - best) / median */
};

/*
 * bench-turns.c: call each once and find how many calls make a sample; take
 * a sample of each; all of that, and medians.
 */
void bench_calibrate(const struct bench *b, struct bench_turn *turn, size_t n);
void bench_sample(struct bench_turn *turn, size_t n, unsigned round);
void bench_turns(const struct bench *b, struct bench_turn *turn, size_t n);

/* Median, best and spread of a turn's 'n' first samples. */
void bench_median(struct bench_turn *turn, unsigned n);

/*
 * How many times as long 'a' takes as 'b': the median over 'n' rounds, each
 * compared with itself.
 */
double bench_ratio(const struct bench_turn *a, const struct bench_turn *b,
    unsigned n);

/* 'n' floats from -1 to 1. */
void bench_random(float *x, size_t n, uint32_t seed);

/* A level's variants: its mask of K3_CPU_*, its name, its table. */
struct bench_level {
	unsigned cpu;
	const char *name;
	struct k3_kern kern;
};
#define BENCH_LEVELS 4
unsigned bench_levels(const struct bench *b, struct bench_level *level);

/*
 * bench-machine.c: the references.  After bench_refs() has put the turns in
 * front of others and these have run, bench_read() and bench_fma() are bytes
 * and FLOPs a second on so many threads.
 */
struct bench_ref {
	const struct bench *b;
	unsigned level, threads;
	size_t at; /* in the pool */
};
struct bench_refs {
	struct bench_ref read[2], fma[2]; /* by width */
	struct bench_turn *turn;          /* [2 * nwidth] */
};
unsigned bench_refs(struct bench *b, struct bench_refs *refs,
    struct bench_turn *turn);
double bench_read(const struct bench_refs *refs, unsigned threads);
double bench_fma(const struct bench_refs *refs, unsigned threads);

/*
 * The rate of 'amount' bytes or FLOPs a call, as a part of what the machine
 * read, or added, in the same round; median over 'n' rounds.
 */
double bench_of_read(const struct bench_refs *refs, unsigned threads,
    const struct bench_turn *turn, double amount, unsigned n);
double bench_of_fma(const struct bench_refs *refs, unsigned threads,
    const struct bench_turn *turn, double amount, unsigned n);

/* bench-targets.c: remember a target, by printf(); print them all. */
void bench_target(struct bench *b, double reached, double target, bool most,
    const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void bench_targets(const struct bench *b);

/*
 * bench-profile.c: put a clock around the kernels in a table that take most of
 * the time; forget what they took; print it, as parts of the 'seconds' of all
 * threads, a pass.
 */
void bench_profile(struct k3_kern *kern);
void bench_profile_reset(void);
void bench_profile_print(unsigned passes, double seconds);

/* The sections. */
void bench_machine(struct bench *b);
void bench_mul(struct bench *b);   /* products */
void bench_step(struct bench *b);  /* KDA and attention */
void bench_elem(struct bench *b);  /* elementwise functions */
void bench_check(struct bench *b); /* the look for what is not finite */
void bench_slice(struct bench *b); /* a pass of the slice */
void bench_memory(struct bench *b);
void bench_stream(struct bench *b); /* the slice, from the disk */
void bench_disk(struct bench *b);

/*
 * bench-run.c: run a program with its output thrown away and 'input' as its
 * standard input.  Its exit status, or 128 and the signal.
 */
int bench_run(const char *const argv[], const char *input);

/*
 * The report of k3-decode with so many bytes: a prompt of 'n' IDs, in chunks
 * unless 'chunk' is 0, and three tokens.  NULL if it failed.
 */
struct k3_json *bench_decode(const struct bench *b, const char *dir,
    uint64_t ram, unsigned chunk, unsigned n);

/* bench-memory.c: what k3-decode asks for, but for the cap. */
void bench_ask(const struct bench *b, uint32_t chunk, struct k3_plan_ask *ask);

/* A model's bytes, and the smallest budget that it runs in. */
bool bench_budget(const struct bench *b, const char *dir, uint32_t chunk,
    uint64_t *bytes, uint64_t *least);

/* The slice is there, or has been written: its folder; else NULL, said why. */
const char *bench_find_slice(const struct bench *b, const char *section);

/*
 * bench-peak.c, x86/: sum of the 8-byte words of [p, p + len), len a multiple
 * of 256; and a sum over n FMAs of single floats in independent chains, n a
 * multiple of BENCH_FMA_UNIT.
 */
#define BENCH_FMA_UNIT (12 * 16)
typedef uint64_t bench_read_fn(const uint8_t *p, size_t len);
typedef float bench_fma_fn(size_t n);
bench_read_fn bench_read_plain, bench_read_avx2, bench_read_avx512;
bench_fma_fn bench_fma_plain, bench_fma_avx2, bench_fma_avx512;

/*
 * The threads of a run with so many of them, at most two sizes a process.
 * Ends the run if they cannot be started.
 */
const struct k3_par *bench_par(unsigned threads);

#endif
