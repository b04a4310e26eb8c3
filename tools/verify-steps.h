/*
 * verify-steps.h - what must hold of a run's steps, on one opened model
 *
 * Each function counts in a rung the steps of which it holds.  'step' is what
 * the prompt's run gave, one token at a time after the prompt.  0, or -1 where
 * the model cannot be run.
 */
#ifndef K3_TOOLS_VERIFY_STEPS_H
#define K3_TOOLS_VERIFY_STEPS_H

#include "tools/verify-ladder.h"

struct steps {
	struct replay *r;       /* of REPLAY_ROWS or 'count' rows, at least 2 */
	struct k3_state *state; /* [2] */
	const struct replay_prompt *prompt;
	const struct replay_step *step; /* [count] */
};

/*
 * Prompt and generated IDs, fed together, have at each position the logits of
 * its step ('teacher'), and the definition's choice from these is the ID that
 * was generated ('greedy').
 */
int steps_teacher(const struct steps *s, struct ladder_rung *teacher,
    struct ladder_rung *greedy, struct k3_err *err);

/* An empty state that is fed all that came before a step gives the step. */
int steps_recompute(const struct steps *s, struct ladder_rung *rung,
    struct k3_err *err);

/* Beside another sequence in the same passes, both give what they do alone. */
int steps_spans(const struct steps *s, struct ladder_rung *rung,
    struct k3_err *err);

/* Tokens that these three run. */
uint64_t steps_tokens(const struct replay_prompt *prompt);

#endif
