/*
 * session.h - sessions: what a sequence needs to go on, bit for bit, as a file
 *
 * A session is a layer file of kind 4; k3-session(5) says what is in it.  It
 * can be taken between any two half-layers, also in the middle of a pass, and
 * gone on with in other memory and on another machine, with the same model.
 *
 * Nothing in a session is trusted: its table must be what its numbers and the
 * model's config make it, each tensor that is read has its digest and, if it
 * is of float32, finite numbers.
 */
#ifndef K3_COMMON_SESSION_H
#define K3_COMMON_SESSION_H

#include "common/layer.h"
#include "common/model.h"

/* How far its line of output is. */
enum k3_session_output {
	K3_SESSION_NOTHING, /* nothing of it was written */
	K3_SESSION_SOME,    /* IDs were, and it is not ended */
	K3_SESSION_ENDED,
	K3_SESSION_NOUTPUT
};

/*
 * A sequence, beside its state.  'ids' are the prompt's, then those that were
 * generated and written; 'position' of them have been consumed.  If all have,
 * the next one is not chosen yet, and the last one's logits belong to it.
 */
struct k3_session {
	uint64_t line;     /* of the input, from 0 */
	uint32_t n;        /* IDs */
	uint32_t position; /* at most n; state->pos */
	uint32_t prompt;   /* from 1, unless there are no IDs */
	uint32_t count;    /* to generate after the prompt, at most */
	enum k3_session_output output;
	uint32_t rows, half; /* of the pass in work; 0 and 0 if there is none */
};

/* What writing or reading one takes, beside the states, at most. */
uint64_t k3_session_memory(const struct k3_cfg *cfg);

/* What it is made of; 'logits' is [vocab], looked at if position is n > 0. */
struct k3_session_parts {
	const struct k3_cfg *cfg;
	const uint8_t *print; /* fingerprint of the model, [K3_DIGEST128] */
	const uint32_t *ids;  /* [n] */
	struct k3_state *state;
	const struct k3_held *held; /* looked at if there are rows */
	const float *logits;
};

/*
 * Write one, with mode 0600, whole or not at all; 's' must keep the rules
 * above.  '*bytes', if not NULL, is its size.
 */
int k3_session_save(const char *path, const struct k3_session *s,
    const struct k3_session_parts *parts, uint64_t *bytes, struct k3_err *err);

/*
 * Read one.  open checks all but the tensors' contents, and fills in 's'.
 * NULL or -1 on failure: EX_NOINPUT, EX_IOERR, or EX_DATAERR, also for the
 * session of another model.
 */
struct k3_session_file; /* opaque */

struct k3_session_file *k3_session_open(const char *path,
    const struct k3_cfg *cfg, const uint8_t print[K3_DIGEST128],
    struct k3_session *s, struct k3_err *err);
void k3_session_close(struct k3_session_file *f);

/* Into ids [n]; each is below the vocabulary. */
int k3_session_get_ids(struct k3_session_file *f, uint32_t *ids,
    struct k3_err *err);

/* The context must have room for position + rows. */
int k3_session_get_state(struct k3_session_file *f, struct k3_state *state,
    struct k3_err *err);

/* Prefix and snapshots, for k3_pass_resume(). */
int k3_session_get_pass(struct k3_session_file *f, const struct k3_held *held,
    struct k3_err *err);

/* Into logits [vocab], if position is n > 0. */
int k3_session_get_logits(struct k3_session_file *f, float *logits,
    struct k3_err *err);

#endif
