/*
 * sidecarimpl.h - what the parts of the sidecar share
 */
#ifndef K3_COMMON_SIDECARIMPL_H
#define K3_COMMON_SIDECARIMPL_H

#include "common/sidecar.h"

/* What is known of an entry; 0 is nothing. */
enum {
	K3_SIDECAR_THERE = 1,
	K3_SIDECAR_CHECKED,
};

struct k3_sidecar {
	const struct k3_cfg *cfg;
	char *path; /* for messages */
	uint8_t fingerprint[K3_DIGEST128];
	uint64_t n;
	uint64_t *first;  /* [nlayer + 2]: the first entry of each layer */
	uint64_t *digest; /* [n] */
	uint8_t *state;   /* [n] */

	/* What comes in pieces: of which entry, up to which byte. */
	struct k3_digest *piece;
	uint64_t of, next;
};

#endif
