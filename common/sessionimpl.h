/*
 * sessionimpl.h - the tensors of a session, for its writer and its reader
 *
 * Not for others: they use session.h.
 */
#ifndef K3_COMMON_SESSIONIMPL_H
#define K3_COMMON_SESSIONIMPL_H

#include "common/session.h"

/* Those that every session has; a layer's come after them. */
enum {
	K3_SESSION_NUMBERS,
	K3_SESSION_SAMPLER,
	K3_SESSION_IDS,
	K3_SESSION_LOGITS,
	K3_SESSION_PREFIX,
	K3_SESSION_SNAPSHOTS,
	K3_SESSION_LAYERS
};

/* Elements of the first two.  One number stands for greedy: 0. */
#define K3_SESSION_NNUMBER  9
#define K3_SESSION_NSAMPLER 1

/* Positions in a block: 0.9 MB of K3's latents. */
#define K3_SESSION_BLOCK 16

uint32_t k3_session_ntensor(const struct k3_cfg *cfg);

/* The table that a session has: into tensor [ntensor], in order. */
void k3_session_table(const struct k3_cfg *cfg, const struct k3_session *s,
    struct k3_layer_tensor *tensor);

/* Rows of a block, or 0 if the model has no latents. */
uint32_t k3_session_block(const struct k3_cfg *cfg);

void k3_session_put_numbers(const struct k3_session *s,
    uint32_t number[K3_SESSION_NNUMBER]);

/* The reverse.  NULL, or what is wrong with them, for a message. */
const char *k3_session_get_numbers(const struct k3_cfg *cfg,
    const uint32_t number[K3_SESSION_NNUMBER], struct k3_session *s);

/* Has that layer's attention been done by the pass in work? */
bool k3_session_passed(const struct k3_session *s, unsigned layer);

#endif
