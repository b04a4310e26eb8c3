/*
 * stream.c - whatever the disk does, the right logits or a named error
 *
 * A toy is run in little memory through an engine that fails: what comes out
 * is compared with a run that has all of it in memory.
 */
#include <stdio.h>

#include "common/cpu.h"
#include "common/digest.h"
#include "tests/faulty.h"
#include "tests/fixture.h"
#include "tests/tap.h"

#define NPOS 12

static const char *const toys[] = { "thirteen", "odd", "wide", "mixed" };

static struct k3_err err;

struct run {
	const char *dir, *packed;
	uint64_t more;         /* bytes beyond the least; UINT64_MAX: all */
	struct faults *faults; /* NULL: the machine's engine */
	unsigned depth;
	double timeout;
	uint64_t digest;
	struct k3_trunk_stats trunk;
	struct k3_experts_stats experts;
};

/* The least memory that works. */
static uint64_t
least(const struct fixture *f, struct k3_plan_ask *ask)
{
	static struct k3_plan plan;

	ask->ram = 1;
	if (k3_plan_make(&plan, &f->cfg, f->st, ask, &err) == 0)
		return 0;
	return plan.total;
}

/* A prompt in two chunks, then tokens one by one; all logits digested. */
static int
feed(struct fixture *f, struct run *r)
{
	size_t vocab = f->cfg.vocab;
	float *logits = calloc(NPOS * vocab, sizeof(float));
	uint32_t id[NPOS];
	int bad = logits == NULL ? -1 : 0;

	for (uint32_t i = 0; i < NPOS; i++)
		id[i] = (i * i * 13 + 5) % f->cfg.vocab;
	for (uint32_t i = 0, n; i < NPOS && bad == 0; i += n) {
		struct k3_span span;

		n = i < 8 ? 4 : 1;
		span = (struct k3_span){ &f->state, id + i, n, i == 0 ? 0 : n,
			logits + i * vocab };
		bad = k3_forward(f->model, &span, 1, &err);
	}
	r->digest = k3_digest64(logits, NPOS * vocab * sizeof(float));
	free(logits);
	return bad;
}

static int
run(struct run *r)
{
	struct k3_plan_ask ask = { .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.ram = UINT64_MAX,
		.context = NPOS,
		.chunk = 4,
		.sequences = 1,
		.threads = 2 };
	struct k3_model_ask how = { .cpu = k3_cpu_best(),
		.packed = r->packed,
		.io = { .depth = r->depth,
		    .timeout = r->timeout,
		    .piece = 8192 } };
	static struct fixture f;
	int bad = -1;

	memset(&f, 0, sizeof(f));
	if (r->faults != NULL) {
		how.io.engine = &faulty;
		how.io.arg = r->faults;
	}
	if (k3_cfg_load(&f.cfg, r->dir, &err) == 0 &&
	    (f.st = k3_st_open(r->dir, &f.cfg, &err)) != NULL) {
		if (r->more != UINT64_MAX)
			ask.ram = least(&f, &ask) + r->more;
		if (k3_plan_make(&f.plan, &f.cfg, f.st, &ask, &err) == 0 &&
		    (f.model = k3_model_open(f.st, &f.plan, &how, &err)) !=
			NULL &&
		    k3_state_init(&f.state, &f.cfg, NPOS, &err) == 0)
			bad = feed(&f, r);
	}
	if (f.model != NULL) {
		r->trunk = *k3_model_trunk(f.model);
		r->experts = *k3_model_experts(f.model);
	}
	fixture_close(&f);
	return bad;
}

/* Disks that are slow, late, out of order and give a bit at a time. */
static void
awkward(const char *dir, const char *toy, uint64_t want)
{
	static const struct faults kinds[] = {
		{ .cut = 200 },
		{ .shuffle = 200 },
		{ .again = 4, .refuse = 100 },
		{ .cut = 100, .shuffle = 100, .again = 2, .refuse = 30 },
		{ .no_direct = true, .cut = 100, .shuffle = 200 },
	};
	static const uint64_t more[] = { 0, 100000 };
	bool good = true;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
			for (unsigned depth = 1; depth <= 16; depth += 15) {
				struct faults f = kinds[k];
				struct run r = { .dir = dir,
					.more = more[i],
					.faults = &f,
					.depth = depth };

				f.seed = k + 1;
				if (run(&r) == 0 && r.digest == want)
					continue;
				good = false;
				diag("disk %zu, least and %llu, depth %u: %s",
				    k, (unsigned long long)more[i], depth,
				    err.msg);
			}
	ok(good, "%s: the same logits from awkward disks in little memory",
	    toy);
}

/* Every read fails once, for good: a named error, never other logits. */
static void
broken(const char *dir, const char *toy, uint64_t want)
{
	unsigned failed = 0, other = 0, unnamed = 0, total = 0;

	for (uint64_t n = 0; n < 800; n += 1 + n / 4) {
		struct faults f = { .some = true,
			.fail = n,
			.hang = FAULTY_NEVER,
			.gone = n % 2 == 0 ? FAULTY_NEVER : n };
		struct run r = { .dir = dir, .faults = &f };
		int bad = run(&r);

		total++;
		failed += bad != 0;
		/* What was only read ahead need not have been wanted. */
		other += bad == 0 && r.digest != want;
		unnamed +=
		    bad != 0 && (err.code != EX_IOERR ||
				    strstr(err.msg, ".safetensors'") == NULL);
		if (bad != 0 && err.code != EX_IOERR)
			diag("%s", err.msg);
	}
	ok(other == 0 && failed > 10 && unnamed == 0,
	    "%s: a failed read ends the run and names the file", toy);
	diag("%u of %u runs failed", failed, total);
}

static void
silent(const char *dir, const char *toy)
{
	struct faults f = { .some = true,
		.fail = FAULTY_NEVER,
		.hang = 40,
		.gone = FAULTY_NEVER };
	struct run r = { .dir = dir, .faults = &f, .timeout = 0.2 };

	ok(run(&r) != 0 && err.code == EX_IOERR,
	    "%s: a silent disk is an error", toy);
	diag("%s", err.msg);
}

int
main(void)
{
	const char *root = getenv("K3_TOYS");

	for (size_t i = 0; root != NULL && i < sizeof(toys) / sizeof(*toys);
	     i++) {
		char dir[512];
		struct run all = { .dir = dir, .more = UINT64_MAX };
		struct run none = { .dir = dir };

		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		if (!ok(run(&all) == 0, "%s: runs in memory", toys[i])) {
			diag("%s", err.msg);
			continue;
		}
		ok(run(&none) == 0 && none.digest == all.digest &&
			none.trunk.bytes > 2 * all.trunk.bytes &&
			none.experts.hits == 0,
		    "%s: and with the least, from the disk", toys[i]);
		awkward(dir, toys[i], all.digest);
		broken(dir, toys[i], all.digest);
		silent(dir, toys[i]);
	}
	return tap_done();
}
