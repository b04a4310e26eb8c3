/*
 * verify-gates.h - what the parts of k3-verify gates share
 */
#ifndef K3_TOOLS_VERIFY_GATES_H
#define K3_TOOLS_VERIFY_GATES_H

#include "common/digest.h"
#include "tools/verify-climb.h"
#include "tools/verify-expect.h"
#include "tools/verify-tok.h"

struct gates {
	struct climb c;
	const char *expect_path, *prompt_path, *tokens_path;
	struct expect expect;
	struct k3_tok tok;
	bool has_tok;
	char fingerprint[K3_HEX128];
};

/* All of them, on a base that gives so many rows of logits in a pass. */
void gates_run(struct gates *g, uint32_t rows);

/* What that would run, as a table. */
void gates_plan(const struct gates *g);

#endif
