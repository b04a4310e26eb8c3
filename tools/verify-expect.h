/*
 * verify-expect.h - somebody else's run, to compare with
 */
#ifndef K3_TOOLS_VERIFY_EXPECT_H
#define K3_TOOLS_VERIFY_EXPECT_H

#include "common/ids.h"
#include "common/run.h"
#include "tools/verify-ladder.h"

struct expect {
	const char *path;
	struct k3_run run; /* a report; no passes: there are only IDs */
	bool report;
	struct k3_ids_seq prompt; /* of the report's first sequence */
	struct replay_step *step; /* [n] */
	uint32_t n;
};

/* A report of k3-decode, or a line of IDs that were generated. */
int expect_load(struct expect *e, const char *path, uint32_t vocab,
    struct k3_err *err);
void expect_free(struct expect *e);

/*
 * Compare the first 'count' steps, or all that are expected, of a model of that
 * fingerprint.
 */
void expect_compare(const struct expect *e, const char *fingerprint,
    const struct replay_step *step, uint32_t count, struct ladder_rung *rung);

#endif
