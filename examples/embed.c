/*
 * embed.c - cc -std=c11 embed.c $(pkg-config --cflags --libs k3) -o embed
 *
 *	embed MODEL COUNT ID ...
 *
 * Continues a prompt as "k3-decode --stop none" does, with one thread, at most
 * 2 GB of dense layers and 1 GB of experts in memory.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/cfg.h"
#include "common/cpu.h"
#include "common/model.h"
#include "common/plan.h"
#include "common/sample.h"
#include "common/st.h"

static struct k3_err err = { EX_OSERR, "out of memory" };

/* Feed a run of IDs; the next one follows from the logits after the last. */
static int
feed(struct k3_model *model, struct k3_state *state, const uint32_t *ids,
    uint32_t n, float *logits, uint32_t *next)
{
	struct k3_span span = { state, ids, n, 1, logits };

	if (k3_forward(model, &span, 1, &err) != 0)
		return -1;
	*next = k3_argmax(logits, state->cfg->vocab);
	return 0;
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
	struct k3_model_ask how = { .cpu = k3_cpu_best() };
	uint32_t *prompt = calloc(n + 1, sizeof(*prompt));
	static struct k3_cfg cfg;
	static struct k3_plan plan;
	struct k3_state state = { 0 };
	struct k3_model *model = NULL;
	struct k3_st *st = NULL;
	float *logits = NULL;
	int bad = -1;

	if (n == 0 || prompt == NULL)
		return EX_USAGE;
	for (uint32_t i = 0; i < n; i++)
		prompt[i] = (uint32_t)strtoul(argv[3 + i], NULL, 10);
	if (k3_cfg_load(&cfg, argv[1], &err) == 0 &&
	    (st = k3_st_open(argv[1], &cfg, &err)) != NULL &&
	    k3_plan_make(&plan, &cfg, st, &ask, &err) == 0 &&
	    k3_state_init(&state, &cfg, ask.context, &err) == 0 &&
	    (model = k3_model_open(st, &plan, &how, &err)) &&
	    (logits = calloc(cfg.vocab, sizeof(*logits))) != NULL)
		bad = feed(model, &state, prompt, n, logits, &next);
	for (uint32_t i = 0; i < count && bad == 0; i++) {
		printf(i + 1 < count ? "%u " : "%u\n", (unsigned)next);
		if (i + 1 < count)
			bad = feed(model, &state, &next, 1, logits, &next);
	}
	if (bad != 0)
		fprintf(stderr, "embed: %s\n", err.msg);
	free(logits);
	k3_model_close(model);
	k3_state_fini(&state);
	k3_st_close(st);
	free(prompt);
	return bad == 0 ? EX_OK : err.code;
}
