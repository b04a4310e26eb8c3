/*
 * verify-diff-run.h - two runs, compared by their reports
 */
#ifndef K3_TOOLS_VERIFY_DIFF_RUN_H
#define K3_TOOLS_VERIFY_DIFF_RUN_H

#include "common/run.h"
#include "tools/verify-diff.h"

enum diff_verdict {
	DIFF_SAME,
	DIFF_DIFFERENT,
	DIFF_SHORTER, /* the same as far as both go */
	DIFF_MODELS,  /* they are of two models */
	DIFF_NOTHING, /* there is nothing to compare */
};

struct diff_run {
	struct k3_run run[2];
	enum diff_verdict verdict;
	uint64_t tokens;  /* fed at the same positions, before they part */
	uint64_t logits;  /* of the same positions, before they part */
	uint64_t only[2]; /* tokens that the other lacks */

	/* Where they part: "id", "logits", "next"; NULL: nowhere. */
	const char *what;
	uint64_t sequence, position;
	uint32_t id[2];
	const struct k3_run_pass *pass[2];
};

/* verify-diff-receipt.c: one line. */
void diff_run_show(struct diff *d, const struct diff_run *r);

#endif
