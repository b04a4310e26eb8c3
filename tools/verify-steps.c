/*
 * verify-steps.c - what must hold of a run's steps, on one opened model
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/verify-steps.h"

/* The second sequence is another and shorter, so that positions differ. */
static uint32_t
beside_length(uint32_t n)
{
	return n > 1 ? n - 1 : n;
}

uint64_t
steps_tokens(const struct replay_prompt *prompt)
{
	uint64_t n = prompt->n, count = prompt->count;
	uint64_t recompute = count * n + count * (count - 1) / 2;
	uint64_t beside = beside_length(prompt->n) + count - 1;

	return n + count - 1 + recompute + n + count - 1 + 2 * beside;
}

static int
no_memory(struct k3_err *err)
{
	k3_fail(err, EX_OSERR, "cannot allocate 'steps': out of memory");
	return -1;
}

/* The prompt and all generated IDs that were fed; free() it. */
static uint32_t *
whole(const struct steps *s, struct k3_err *err)
{
	const struct replay_prompt *p = s->prompt;
	uint32_t *id = calloc((size_t)p->n + p->count, sizeof(*id));

	if (id == NULL) {
		no_memory(err);
		return NULL;
	}
	memcpy(id, p->id, p->n * sizeof(*id));
	for (uint32_t i = 0; i < p->count; i++)
		id[p->n + i] = s->step[i].id;
	return id;
}

static void
judge_greedy(const struct steps *s, const struct replay_step *got,
    struct ladder_rung *greedy)
{
	greedy->of = s->prompt->count;
	for (uint32_t i = 0; i < s->prompt->count; i++) {
		if (got[i].plain == s->step[i].id)
			greedy->good++;
		else if (greedy->first[0] == '\0')
			snprintf(greedy->first, sizeof(greedy->first),
			    "step %" PRIu32
			    ": the largest logit is that of ID %" PRIu32
			    ", and ID %" PRIu32 " was generated",
			    i, got[i].plain, s->step[i].id);
	}
}

int
steps_teacher(const struct steps *s, struct ladder_rung *teacher,
    struct ladder_rung *greedy, struct k3_err *err)
{
	uint32_t n = s->prompt->n, count = s->prompt->count;
	struct replay_step *got = calloc(count, sizeof(*got));
	uint32_t *id = whole(s, err);
	int ret = got == NULL ? no_memory(err) : -1;

	k3_state_reset(&s->state[0]);
	if (got != NULL && id != NULL)
		ret = replay_feed(s->r, &s->state[0], id, n + count - 1, count,
		    got, err);
	if (ret == 0) {
		teacher->of = count;
		teacher->good = ladder_compare(teacher, "all IDs together", got,
		    s->step, 0, count);
		judge_greedy(s, got, greedy);
	}
	free(got);
	free(id);
	return ret;
}

int
steps_recompute(const struct steps *s, struct ladder_rung *rung,
    struct k3_err *err)
{
	uint32_t count = s->prompt->count;
	struct replay_step *got = calloc(count, sizeof(*got));
	uint32_t *id = whole(s, err);
	int ret = got == NULL ? no_memory(err) : id == NULL ? -1 : 0;

	for (uint32_t i = 0; i < count && ret == 0; i++) {
		k3_state_reset(&s->state[0]);
		ret = replay_feed(s->r, &s->state[0], id, s->prompt->n + i, 1,
		    &got[i], err);
		if (ret != 0)
			break;
		rung->of++;
		rung->good += ladder_compare(rung, "all IDs anew", got, s->step,
		    i, i + 1);
	}
	free(got);
	free(id);
	return ret;
}

/* Two sequences, as far as they have come. */
struct beside {
	struct replay_prompt prompt[2];
	struct replay_step *want[2], *got[2]; /* [count] */
	uint32_t *id;                         /* of the second prompt */
};

static int
beside_open(struct beside *b, const struct steps *s, struct k3_err *err)
{
	uint32_t count = s->prompt->count;
	uint32_t vocab = s->r->host->cfg->vocab;

	b->prompt[0] = b->prompt[1] = *s->prompt;
	b->prompt[1].n = beside_length(s->prompt->n);
	b->id = calloc(s->prompt->n, sizeof(*b->id));
	for (int k = 0; k < 2; k++) {
		b->want[k] = calloc(count, sizeof(*b->want[k]));
		b->got[k] = calloc(count, sizeof(*b->got[k]));
		if (b->want[k] == NULL || b->got[k] == NULL || b->id == NULL)
			return no_memory(err);
	}
	memcpy(b->want[0], s->step, count * sizeof(*s->step));
	for (uint32_t i = 0; i < b->prompt[1].n; i++)
		b->id[i] = vocab - 1 - s->prompt->id[i];
	b->prompt[1].id = b->id;
	return 0;
}

static void
beside_close(struct beside *b)
{
	for (int k = 0; k < 2; k++) {
		free(b->want[k]);
		free(b->got[k]);
	}
	free(b->id);
}

/*
 * A pass over both: what is left of each prompt, or the ID that follows from
 * the last step; half of the chunk each.
 */
static int
beside_pass(struct beside *b, const struct steps *s, uint32_t step,
    struct k3_err *err)
{
	const struct k3_cfg *cfg = s->r->host->cfg;
	uint32_t half = s->r->plan.chunk / 2;
	struct k3_span span[2];
	size_t owner[2], n = 0;

	for (size_t k = 0; k < 2; k++) {
		uint32_t at = s->state[k].pos, all = b->prompt[k].n + step;
		uint32_t take = all - at < half ? all - at : half;

		if (take == 0)
			continue;
		owner[n] = k;
		span[n] = (struct k3_span){ .state = &s->state[k],
			.ids = at < b->prompt[k].n ? b->prompt[k].id + at
						   : &b->got[k][step - 1].id,
			.n = take,
			.nlogit = at + take == all,
			.logits = s->r->row + k * cfg->vocab };
		n++;
	}
	if (replay_pass(s->r, span, n, err) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (span[i].nlogit > 0)
			b->got[owner[i]][step] =
			    replay_look(cfg, span[i].logits);
	return 0;
}

static int
beside_run(struct beside *b, const struct steps *s, struct k3_err *err)
{
	if (replay_run(s->r, &s->state[1], &b->prompt[1], b->want[1], err) != 0)
		return -1;
	k3_state_reset(&s->state[0]);
	k3_state_reset(&s->state[1]);
	for (uint32_t i = 0; i < s->prompt->count; i++)
		while (s->state[0].pos < b->prompt[0].n + i ||
		       s->state[1].pos < b->prompt[1].n + i)
			if (beside_pass(b, s, i, err) != 0)
				return -1;
	return 0;
}

int
steps_spans(const struct steps *s, struct ladder_rung *rung, struct k3_err *err)
{
	static const char *const where[] = { "beside another sequence",
		"the other sequence" };
	uint32_t count = s->prompt->count;
	struct beside b = { 0 };
	int ret;

	/* Passes of one token have no room for two sequences. */
	if (s->r->plan.chunk < 2) {
		rung->left = (uint64_t)2 * count;
		return 0;
	}
	ret = beside_open(&b, s, err);
	if (ret == 0)
		ret = beside_run(&b, s, err);
	for (int k = 0; k < 2 && ret == 0; k++) {
		rung->of += count;
		rung->good += ladder_compare(rung, where[k], b.got[k],
		    b.want[k], 0, count);
	}
	beside_close(&b);
	return ret;
}
