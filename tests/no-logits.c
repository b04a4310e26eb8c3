/*
 * no-logits.c - where nobody wants logits, lm_head takes no memory
 */
#include <stdio.h>

#include "common/cpu.h"
#include "common/io.h"
#include "tests/fixture.h"
#include "tests/tap.h"

#define IDS 9

static const char *const toys[] = { "tiny", "big", "odd", "wide", "mixed" };

static struct k3_err err;

/* Picks and weights of a run, in the order in which they came. */
struct heard {
	size_t topk, n;
	uint8_t bytes[1 << 17];
};

static int
hear(void *arg, unsigned layer, const struct k3_span *span, size_t nspan,
    const uint32_t *pick, const float *weight, struct k3_err *why)
{
	struct heard *h = arg;
	size_t len = span->n * h->topk * sizeof(*pick);

	(void)layer;
	(void)nspan;
	(void)why;
	if (h->n + 2 * len > sizeof(h->bytes))
		abort();
	memcpy(h->bytes + h->n, pick, len);
	memcpy(h->bytes + h->n + len, weight, len);
	h->n += 2 * len;
	return 0;
}

static struct k3_plan_ask
ask(bool no_logits, uint64_t ram)
{
	return (struct k3_plan_ask){ .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.ram = ram,
		.context = IDS,
		.chunk = 4,
		.sequences = 1,
		.no_logits = no_logits,
		.threads = 1 };
}

static bool
run(const char *dir, bool no_logits, uint64_t ram, struct heard *h)
{
	struct k3_model_ask how = { .cpu = k3_cpu_best() };
	struct k3_plan_ask want = ask(no_logits, ram);
	struct k3_watch watch = { .arg = h, .routes = hear };
	struct fixture f = { 0 };
	uint32_t id[IDS];
	bool good;

	good = k3_cfg_load(&f.cfg, dir, &err) == 0 &&
	       (f.st = k3_st_open(dir, &f.cfg, &err)) != NULL &&
	       k3_plan_make(&f.plan, &f.cfg, f.st, &want, &err) == 0 &&
	       (f.model = k3_model_open(f.st, &f.plan, &how, &err)) != NULL &&
	       k3_state_init(&f.state, &f.cfg, IDS, &err) == 0;
	h->n = 0;
	h->topk = f.cfg.topk;
	if (good)
		k3_model_watch(f.model, &watch);
	for (uint32_t i = 0; i < IDS; i++)
		id[i] = (i * i * 13 + 5) % (good ? f.cfg.vocab : 1);
	for (uint32_t i = 0, n; i < IDS && good; i += n) {
		n = IDS - i < 4 ? IDS - i : 4;
		good = k3_forward(f.model,
			   &(struct k3_span){ .state = &f.state,
			       .ids = id + i,
			       .n = n },
			   1, &err) == 0;
	}
	fixture_close(&f);
	return good;
}

/* With memory for all of it. */
static void
plans(const char *toy, const char *dir)
{
	struct k3_plan with, without;
	struct k3_loc head;
	struct k3_cfg cfg;
	struct k3_st *st;
	uint64_t fewer;

	if (k3_cfg_load(&cfg, dir, &err) != 0 ||
	    (st = k3_st_open(dir, &cfg, &err)) == NULL)
		abort();
	for (int i = 0; i < 2; i++) {
		struct k3_plan_ask want = ask(i == 1, UINT64_MAX);

		if (k3_plan_make(i == 1 ? &without : &with, &cfg, st, &want,
			&err) != 0)
			abort();
	}
	head = k3_st_tensor(st, cfg.nlayer, K3_T_LM_HEAD);
	fewer = k3_plan_matrices(&with) - k3_plan_matrices(&without);
	ok(fewer == head.len &&
		k3_plan_pinned(&without) == k3_plan_pinned(&with) - head.len,
	    "%s: all else is pinned as before", toy);
	ok(without.item[K3_PLAN_LOGITS] == 0 &&
		without.item[K3_PLAN_VECTORS] == with.item[K3_PLAN_VECTORS] &&
		with.total - without.total >=
		    head.len + with.item[K3_PLAN_LOGITS],
	    "%s: the plan is smaller by lm_head and a row of logits", toy);
	k3_st_close(st);
}

static uint64_t
least(const char *dir, bool no_logits)
{
	struct k3_plan_ask want = ask(no_logits, 1);
	struct k3_plan plan;
	struct k3_cfg cfg;
	struct k3_st *st;

	if (k3_cfg_load(&cfg, dir, &err) != 0 ||
	    (st = k3_st_open(dir, &cfg, &err)) == NULL)
		abort();
	k3_plan_make(&plan, &cfg, st, &want, &err);
	k3_st_close(st);
	return plan.total;
}

int
main(void)
{
	const char *root = getenv("K3_TOYS");
	static struct heard want, got;
	char dir[512];

	if (root == NULL)
		diag("set K3_TOYS to the folder of the toy models");
	for (size_t i = 0; root != NULL && i < sizeof(toys) / sizeof(*toys);
	     i++) {
		uint64_t small;

		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		plans(toys[i], dir);
		small = least(dir, true);
		ok(small <= least(dir, false), "%s: the least is no more",
		    toys[i]);
		if (!run(dir, false, UINT64_MAX, &want) ||
		    !run(dir, true, small, &got))
			diag("%s", err.msg);
		ok(want.n > 0 && want.n == got.n &&
			memcmp(want.bytes, got.bytes, want.n) == 0,
		    "%s: the same routes in it", toys[i]);
	}
	return tap_done();
}
