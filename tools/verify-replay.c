/*
 * verify-replay.c - a prompt, run in some way, and what each step gave
 */
#include <string.h>

#include "common/digest.h"
#include "common/mem.h"
#include "common/sample.h"
#include "tools/verify-replay.h"

uint64_t
replay_bytes(const struct k3_cfg *cfg, uint32_t rows)
{
	return (uint64_t)rows * cfg->vocab * sizeof(float);
}

int
replay_open(struct replay *r, const struct replay_host *host,
    const struct replay_way *way, uint32_t rows, struct k3_err *err)
{
	struct replay_way now = *way;

	memset(r, 0, sizeof(*r));
	r->host = host;
	r->rows = rows < REPLAY_ROWS ? rows : REPLAY_ROWS;
	if (host->opening != NULL)
		host->opening(host->arg, &now);
	if (k3_plan_make(&r->plan, host->cfg, host->st, &now.plan, err) == 0)
		r->model = k3_model_open(host->st, &r->plan, &now.how, err);
	if (host->opened != NULL)
		host->opened(host->arg, r->model);
	if (r->model != NULL)
		r->row = k3_mem_alloc(replay_bytes(host->cfg, r->rows),
		    "logits", err);
	if (r->row != NULL)
		return 0;
	replay_close(r);
	return -1;
}

void
replay_close(struct replay *r)
{
	k3_model_close(r->model);
	if (r->row != NULL)
		k3_mem_free(r->row, replay_bytes(r->host->cfg, r->rows));
	memset(r, 0, sizeof(*r));
}

int
replay_pass(struct replay *r, const struct k3_span *span, size_t nspan,
    struct k3_err *err)
{
	const struct replay_host *host = r->host;
	uint32_t n = 0;
	int more;

	for (size_t i = 0; i < nspan; i++)
		n += span[i].n;
	if (k3_pass_begin(r->model, span, nspan, err) != 0)
		return -1;
	while ((more = k3_pass_half(r->model, err)) == 1)
		if (host->tick != NULL && host->tick(host->arg, 0, err) != 0)
			return -1;
	if (more != 0 || k3_pass_end(r->model, err) != 0)
		return -1;
	return host->tick != NULL ? host->tick(host->arg, n, err) : 0;
}

/* From the end, so that it is no copy of what it is to judge. */
static uint32_t
plain_choice(const float *row, uint32_t n)
{
	uint32_t best = n - 1;

	for (uint32_t i = n - 1; i-- > 0;)
		if (!(row[i] < row[best]))
			best = i;
	return best;
}

struct replay_step
replay_look(const struct k3_cfg *cfg, const float *row)
{
	return (struct replay_step){
		.logits = k3_digest64(row, cfg->vocab * sizeof(*row)),
		.id = k3_argmax(row, cfg->vocab),
		.plain = plain_choice(row, cfg->vocab),
	};
}

int
replay_feed(struct replay *r, struct k3_state *state, const uint32_t *id,
    uint32_t n, uint32_t want, struct replay_step *step, struct k3_err *err)
{
	const struct k3_cfg *cfg = r->host->cfg;
	uint32_t silent = n - want; /* of them, those that give nothing */

	for (uint32_t at = 0, k; at < n; at += k) {
		struct k3_span span = { .state = state,
			.ids = id + at,
			.logits = r->row };

		k = n - at < r->plan.chunk ? n - at : r->plan.chunk;
		span.nlogit = at + k > silent ? at + k - silent : 0;
		span.nlogit = span.nlogit < k ? span.nlogit : k;
		if (span.nlogit > r->rows) {
			k -= span.nlogit - r->rows;
			span.nlogit = r->rows;
		}
		span.n = k;
		if (replay_pass(r, &span, 1, err) != 0)
			return -1;
		for (uint32_t i = 0; i < span.nlogit; i++)
			*step++ =
			    replay_look(cfg, r->row + (size_t)i * cfg->vocab);
	}
	return 0;
}

int
replay_run(struct replay *r, struct k3_state *state,
    const struct replay_prompt *prompt, struct replay_step *step,
    struct k3_err *err)
{
	k3_state_reset(state);
	if (replay_feed(r, state, prompt->id, prompt->n, 1, step, err) != 0)
		return -1;
	for (uint32_t i = 1; i < prompt->count; i++)
		if (replay_feed(r, state, &step[i - 1].id, 1, 1, &step[i],
			err) != 0)
			return -1;
	return 0;
}

int
replay_way(const struct replay_host *host, const struct replay_way *way,
    const struct replay_prompt *prompt, struct replay_step *step,
    struct k3_err *err)
{
	struct k3_state state = { 0 };
	struct replay r;
	int got = -1;

	if (replay_open(&r, host, way, 1, err) != 0)
		return -1;
	if (k3_state_init(&state, host->cfg, way->plan.context, err) == 0)
		got = replay_run(&r, &state, prompt, step, err);
	k3_state_fini(&state);
	replay_close(&r);
	return got;
}
