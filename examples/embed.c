/*
 * embed.c - cc -std=c11 embed.c $(pkg-config --cflags --libs k3) -o embed
 *
 *	embed MODEL COUNT ID ...
 *
 * Continues a prompt of token IDs, greedily, as "k3-decode --stop none" does,
 * with one thread, at most 2 GB of dense layers and 1 GB of experts in memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/cfg.h"
#include "common/cpu.h"
#include "common/model.h"
#include "common/plan.h"
#include "common/sample.h"
#include "common/st.h"
#include "common/state.h"

static struct k3_err err;

/* Feed a run of IDs; the next one follows from the logits after the last. */
static uint32_t
feed(struct k3_model *model, struct k3_state *state, const uint32_t *ids,
    uint32_t n, uint32_t vocab, float *logits)
{
	struct k3_span span = { state, ids, n, 1, logits };

	if (k3_forward(model, &span, 1, &err) == 0)
		return k3_argmax(logits, vocab);
	fprintf(stderr, "embed: %s\n", err.msg);
	exit(err.code);
}

int
main(int argc, char *argv[])
{
	uint32_t n = argc > 3 ? (uint32_t)argc - 3 : 0, next = 0;
	uint32_t count = n > 0 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	struct k3_plan_ask ask = { .trunk = 2000000000,
		.cache = 1000000000,
		.ram = UINT64_MAX,
		.context = n + count,
		.chunk = n,
		.sequences = 1,
		.threads = 1 };
	uint32_t *prompt = calloc(n + 1, sizeof(*prompt));
	static struct k3_cfg cfg;
	static struct k3_plan plan;
	struct k3_state state;
	struct k3_model *model;
	struct k3_st *st;
	float *logits;

	if (n == 0 || prompt == NULL)
		return EX_USAGE;
	for (uint32_t i = 0; i < n; i++)
		prompt[i] = (uint32_t)strtoul(argv[3 + i], NULL, 10);
	if (k3_cfg_load(&cfg, argv[1], &err) != 0 ||
	    (st = k3_st_open(argv[1], &cfg, &err)) == NULL ||
	    k3_plan_make(&plan, &cfg, st, &ask, &err) != 0 ||
	    k3_state_init(&state, &cfg, ask.context, &err) != 0 ||
	    (model = k3_model_open(st, &plan, NULL, k3_cpu_best(), &err)) ==
		NULL) {
		fprintf(stderr, "embed: %s\n", err.msg);
		return err.code;
	}
	logits = calloc(cfg.vocab, sizeof(*logits));
	if (logits == NULL)
		return EX_OSERR;
	next = feed(model, &state, prompt, n, cfg.vocab, logits);
	for (uint32_t i = 1; i < count; i++) {
		printf("%u ", (unsigned)next);
		next = feed(model, &state, &next, 1, cfg.vocab, logits);
	}
	printf("%u\n", (unsigned)next);
	return 0;
}
