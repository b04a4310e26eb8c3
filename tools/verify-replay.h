/*
 * verify-replay.h - a prompt, run in some way, and what each step gave
 *
 * Step s of a run is the logits after the prompt and s generated IDs: what
 * they chose, greedily, and their digest.  Two runs are the same where each
 * step is.
 */
#ifndef K3_TOOLS_VERIFY_REPLAY_H
#define K3_TOOLS_VERIFY_REPLAY_H

#include <stdbool.h>

#include "common/model.h"

/* Rows of logits that one pass gives at most, which bounds their memory. */
#define REPLAY_ROWS 64

struct replay_step {
	uint64_t logits; /* XXH3-64 of the row */
	uint32_t id;     /* what the engine chooses from it */
	uint32_t plain;  /* and what the definition says, looked for anew */
};

/* One way to run a model: the memory it has, and how it works. */
struct replay_way {
	struct k3_plan_ask plan;
	struct k3_model_ask how;
};

/* Who runs it.  Functions may be NULL. */
struct replay_host {
	const struct k3_cfg *cfg;
	struct k3_st *st;
	void *arg;
	/* A model is about to be opened, and has been (NULL: in vain). */
	void (*opening)(void *arg, struct replay_way *way);
	void (*opened)(void *arg, struct k3_model *model);
	/* So many tokens more are done, or 0; -1 with 'err' ends the run. */
	int (*tick)(void *arg, uint32_t tokens, struct k3_err *err);
};

/* A prompt of n IDs, after which 'count' are generated. */
struct replay_prompt {
	const uint32_t *id;
	uint32_t n, count;
};

struct replay {
	const struct replay_host *host;
	struct k3_plan plan;
	struct k3_model *model;
	float *row; /* [rows][vocab] */
	uint32_t rows;
};

/* Bytes of rows, which a way's plan.files should have. */
uint64_t replay_bytes(const struct k3_cfg *cfg, uint32_t rows);

/*
 * Open the model for passes that give so many rows each, REPLAY_ROWS at most.
 * 0, or -1 and nothing to close.
 */
int replay_open(struct replay *r, const struct replay_host *host,
    const struct replay_way *way, uint32_t rows, struct k3_err *err);
void replay_close(struct replay *r);

/*
 * Feed n IDs, in passes of plan.chunk at most; the last 'want' of them give a
 * step each.
 */
int replay_feed(struct replay *r, struct k3_state *state, const uint32_t *id,
    uint32_t n, uint32_t want, struct replay_step *step, struct k3_err *err);

/* One pass, that a signal can end between half-layers. */
int replay_pass(struct replay *r, const struct k3_span *span, size_t nspan,
    struct k3_err *err);

/* The step that a row of logits gives. */
struct replay_step replay_look(const struct k3_cfg *cfg, const float *row);

/* A whole run, from an empty state on; step[count]. */
int replay_run(struct replay *r, struct k3_state *state,
    const struct replay_prompt *prompt, struct replay_step *step,
    struct k3_err *err);

/* The same with the model opened and closed as 'way' says. */
int replay_way(const struct replay_host *host, const struct replay_way *way,
    const struct replay_prompt *prompt, struct replay_step *step,
    struct k3_err *err);

#endif
