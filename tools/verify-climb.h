/*
 * verify-climb.h - what k3-verify same and k3-verify gates have in common
 *
 * Options, the model and the base of the ladder; what is printed of rungs.
 */
#ifndef K3_TOOLS_VERIFY_CLIMB_H
#define K3_TOOLS_VERIFY_CLIMB_H

#include <stdnoreturn.h>

#include "common/ids.h"
#include "common/json.h"
#include "common/speed.h"
#include "tools/tool-engine.h"
#include "tools/tool-progress.h"
#include "tools/verify-ladder.h"

/* Behind those of tool-engine.h. */
enum {
	CLIMB_BUDGET = TOOL_OWN,
	CLIMB_DISK,
	CLIMB_JSON,
	CLIMB_PLAN,
	CLIMB_QUICK,
	CLIMB_OWN /* a verb's own go on from here */
};

/* Steps at most, and without -n. */
#define CLIMB_MOST  65536
#define CLIMB_USUAL 8

struct climb {
	struct tool_engine engine;
	struct k3_cfg cfg;
	struct k3_st *st;
	struct ladder ladder;
	struct k3_ids_seq prompt;
	uint32_t count; /* 0: not given */
	double budget;  /* seconds; 0: no end */
	struct k3_speed speed;
	bool json, plan, quick, quiet;

	struct tool_progress progress;
	char what[128]; /* that it tells */
	struct k3_json *rungs;
	double start;
	bool different;
	int lock;     /* on memory, or -1 */
	char *packed; /* folder, or NULL */
};

void climb_init(struct climb *c);

/* Take an option that both verbs have; false if it is another. */
bool climb_option(struct climb *c, int opt, char *arg);

/* Do the options go together? */
bool climb_agrees(const struct climb *c);

/* Config and index.  Dies on failure, as all of these. */
void climb_open(struct climb *c);
void climb_close(struct climb *c);

/* One sequence, from a file or, for NULL and "-", standard input. */
void climb_prompt(struct climb *c, const char *path);

/*
 * The base, which has so many sequences and feeds 'together' IDs at once, gives
 * so many rows of logits in a pass; and the ways.  'more' are tokens that are
 * run beside the ladder.
 */
void climb_begin(struct climb *c, uint32_t sequences, uint32_t together,
    uint32_t rows, uint64_t more);

/* What is to be run, as a table. */
struct climb_work {
	const char *rung, *way;
	uint64_t prompts[2]; /* so many, of so many tokens */
	uint64_t tokens;     /* one by one */
};
void climb_plan(const struct climb *c, const struct climb_work *more, size_t n);

/* Is the time of --budget over? */
bool climb_late(const struct climb *c);

/* A rung is done: print or remember it. */
void climb_rung(struct climb *c, const struct ladder_rung *rung);

/* JSON, if asked for; and the exit status. */
int climb_end(struct climb *c);

/* Die, by the signal if there was one. */
noreturn void climb_die(struct climb *c, const struct k3_err *err);

#endif
