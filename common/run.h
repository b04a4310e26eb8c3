/*
 * run.h - a run that is over, read from its report (k3-report(5))
 *
 * A report is foreign bytes.  What is accepted holds what the page says: no
 * second is negative or endless, parts are all of wall, hits and misses all
 * demands.  Sums over passes are the reader's: they may exceed 64 bits.
 */
#ifndef K3_COMMON_RUN_H
#define K3_COMMON_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"

/* No count, and no number of bytes, is above this; nor seconds above that. */
#define K3_RUN_MAX_WHOLE   ((uint64_t)1 << 62)
#define K3_RUN_MAX_SECONDS 1e10

/* Room for a short text, with its NUL; it is printable ASCII. */
#define K3_RUN_TEXT 32

struct k3_run_model {
	uint64_t files, tensors, checkpoint_bytes;
	uint64_t layers, moe_layers, experts; /* experts of such a layer */
	uint64_t expert_bytes, all_expert_bytes, trunk_bytes, head_bytes;
	uint64_t kda_state_bytes, conv_state_bytes, latent_bytes_a_position;
};

struct k3_run_plan {
	uint64_t total, chunk, context, cached_experts;
	uint64_t pinned_bytes, trunk_bytes_a_pass, beside_bytes_a_pass;
	uint64_t expert_bytes_a_token;
	uint64_t ring, cache; /* bytes of these items, 0 if not listed */
};

/* Of a pass, or of all: wall is the sum of the others, but for rounding. */
struct k3_run_seconds {
	double wall, compute, trunk_wait, expert_wait, other;
};

struct k3_run_counters {
	uint64_t trunk_bytes, expert_bytes;
	uint64_t demands, hits, misses, evictions, bypassed;
	uint64_t guessed_right, guessed_wrong;
};

struct k3_run_reads {
	uint64_t bytes;
	double busy, depth; /* seconds; reads in flight in those, on average */
};

struct k3_run_part {
	struct k3_run_seconds seconds;
	struct k3_run_counters counters;
	struct k3_run_reads reads;
};

struct k3_run_pass {
	struct k3_run_part part;
	uint64_t sequence, position;
	const uint32_t *ids; /* [n], fed */
	size_t n;
	char kind;   /* 'p' prefill, 'd' decode */
	bool chosen; /* are there logits, and is 'next' what they chose? */
	uint32_t next;
	uint64_t logits; /* their XXH3-64 */
};

/* All zeros is a run to free. */
struct k3_run {
	char tool[K3_RUN_TEXT], version[K3_RUN_TEXT];
	char cpu[K3_RUN_TEXT], io[K3_RUN_TEXT];
	char fingerprint[33]; /* hexadecimal */
	uint64_t threads, peak_bytes, unused_bytes;
	struct k3_run_model model;
	struct k3_run_plan plan;
	struct k3_run_part total;
	char **argument; /* [nargument] of the command line */
	size_t nargument;
	struct k3_run_pass *pass; /* [npass], in their order */
	size_t npass;
	uint32_t *ids; /* of all passes */
};

/*
 * Read a report to its end.  'name' stands for it in messages.  0, or -1 and
 * nothing to free: EX_IOERR, EX_OSERR, or EX_DATAERR with what is wrong where;
 * a report that ends in its middle is said to be one of a run that did not.
 */
int k3_run_read(struct k3_run *run, FILE *fp, const char *name,
    struct k3_err *err);

/* The same from memory. */
int k3_run_parse(struct k3_run *run, const char *text, size_t len,
    const char *name, struct k3_err *err);

void k3_run_free(struct k3_run *run);

#endif
