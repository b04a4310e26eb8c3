/*
 * readplan.c - the planned reads are those that the engine asks the disk for
 *
 * A toy runs with no place for experts that stay.  Its trunk is packed, so that
 * what an engine for reads sees of the shards are experts only.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/readplan.h"
#include "tests/stream.h"
#include "tests/tap.h"

#define IDS  13
#define MOST 20000

static struct k3_err err;

struct range {
	char file[64];
	uint64_t off, len;
};

/* What was planned, and what was read of shards: one device's thread. */
static struct range planned[MOST], seen[MOST];
static size_t nplanned, nseen;

static void
note(struct range *list, size_t *n, const char *path, uint64_t off,
    uint64_t len)
{
	const char *slash = strrchr(path, '/');

	if (*n == MOST || slash == NULL)
		abort();
	snprintf(list[*n].file, sizeof(list->file), "%s", slash + 1);
	list[*n].off = off;
	list[(*n)++].len = len;
}

/* The first that is read of a file is a unit, to see how it can be read. */
static bool
is_probe(const struct range *r)
{
	for (const struct range *s = seen; s < r; s++)
		if (strcmp(s->file, r->file) == 0)
			return false;
	return r->off == K3_IO_ALIGN && r->len == K3_IO_ALIGN;
}

/* The engine: it reads at once, in submit(), and notes the shards. */
struct spy {
	int bell;
	struct k3_io_op *done[K3_IO_MAX_DEPTH];
	unsigned n;
};

static void *
spy_open(unsigned depth, int bell, void *arg)
{
	struct spy *spy = calloc(1, sizeof(*spy));

	(void)depth;
	(void)arg;
	if (spy != NULL)
		spy->bell = bell;
	return spy;
}

static int
spy_submit(void *engine, struct k3_io_op **op, unsigned n)
{
	struct spy *spy = engine;

	for (unsigned i = 0; i < n; i++) {
		char link[64], path[4096];
		ssize_t len;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", op[i]->fd);
		len = readlink(link, path, sizeof(path) - 1);
		path[len < 0 ? 0 : len] = '\0';
		if (strstr(path, ".safetensors") != NULL)
			note(seen, &nseen, path, op[i]->off, op[i]->len);
		op[i]->res =
		    pread(op[i]->fd, op[i]->buf, op[i]->len, (off_t)op[i]->off);
		if (op[i]->res < 0)
			op[i]->res = -errno;
		spy->done[spy->n++] = op[i];
	}
	k3_io_ring(spy->bell);
	return (int)n;
}

static unsigned
spy_reap(void *engine, struct k3_io_op **op, unsigned n)
{
	struct spy *spy = engine;
	unsigned i = 0;

	while (i < n && spy->n > 0)
		op[i++] = spy->done[--spy->n];
	return i;
}

static const struct k3_io_engine spy_engine = {
	.name = "spy",
	.buffered = true,
	.open = spy_open,
	.submit = spy_submit,
	.reap = spy_reap,
	.close = free,
};

static int
plan_read(void *arg, const struct k3_readplan_read *read, struct k3_err *why)
{
	(void)why;
	note(planned, &nplanned, k3_st_path(arg, read->loc.file), read->loc.off,
	    read->loc.len);
	return 0;
}

struct run {
	struct fixture f;
	struct k3_readplan plan;
	uint64_t pass;
};

static int
hear(void *arg, unsigned layer, const struct k3_span *span, size_t nspan,
    const uint32_t *pick, const float *weight, struct k3_err *why)
{
	struct run *run = arg;
	uint32_t topk = run->f.cfg.topk;

	(void)nspan;
	for (uint32_t i = 0; i < span->n; i++) {
		struct k3_route r = { .pass = run->pass,
			.position = span->state->pos + i,
			.kind = 'p',
			.layer = layer,
			.n = topk,
			.expert = pick + (size_t)i * topk,
			.weight = weight + (size_t)i * topk };

		if (k3_readplan_add(&run->plan, &r, why) != 0)
			return -1;
	}
	return 0;
}

static int
feed(struct run *run)
{
	static const uint32_t cut[] = { 5, 1, 4, 3 };
	uint32_t id[IDS], at = 0;

	for (uint32_t i = 0; i < IDS; i++)
		id[i] = (i * i * 13 + 5) % run->f.cfg.vocab;
	for (size_t i = 0; i < 4; at += cut[i++], run->pass++) {
		struct k3_span span = { .state = &run->f.state,
			.ids = id + at,
			.n = cut[i] };

		if (k3_forward(run->f.model, &span, 1, &err) != 0)
			return -1;
	}
	return k3_readplan_end(&run->plan, &err);
}

static int
start(struct run *run, const char *dir, const char *packed, unsigned depth)
{
	struct k3_watch watch = { .arg = run, .routes = hear };
	struct k3_plan_ask ask = { .ram = UINT64_MAX,
		.context = IDS,
		.chunk = 5,
		.sequences = 1,
		.no_logits = true,
		.threads = 2 };
	struct k3_model_ask how = { .cpu = k3_cpu_best(),
		.packed = packed,
		.io = { &spy_engine, NULL, depth, (size_t)1 << 24, 0 } };
	struct fixture *f = &run->f;

	*run = (struct run){ .pass = nplanned = nseen = 0 };
	if (k3_cfg_load(&f->cfg, dir, &err) != 0 ||
	    (f->st = k3_st_open(dir, &f->cfg, &err)) == NULL ||
	    k3_plan_make(&f->plan, &f->cfg, f->st, &ask, &err) != 0 ||
	    (f->model = k3_model_open(f->st, &f->plan, &how, &err)) == NULL ||
	    k3_state_init(&f->state, &f->cfg, IDS, &err) != 0)
		return -1;
	k3_model_watch(f->model, &watch);
	run->plan.fn = plan_read;
	run->plan.arg = f->st;
	return k3_readplan_init(&run->plan, &f->cfg, f->st, &err);
}

/* Reads past the page cache are of whole units around what is wanted. */
static bool
covers(const struct range *s, const struct range *p)
{
	uint64_t before = p->off - s->off;
	uint64_t after = s->off + s->len - p->off - p->len;

	return strcmp(s->file, p->file) == 0 && before < K3_IO_ALIGN &&
	       after < K3_IO_ALIGN;
}

static bool
same(void)
{
	size_t k = 0;

	for (size_t i = 0; i < nseen; i++) {
		if (is_probe(&seen[i]))
			continue;
		if (k == nplanned || !covers(&seen[i], &planned[k])) {
			diag("read %zu: %s %llu %llu", k, seen[i].file,
			    (unsigned long long)seen[i].off,
			    (unsigned long long)seen[i].len);
			return false;
		}
		k++;
	}
	return k == nplanned;
}

static void
check(const char *toy, const char *dir, const char *packed)
{
	static struct run run;
	bool good = start(&run, dir, packed, toy[0] == 'w' ? 4 : 1) == 0;

	if (!ok(good && k3_plan_cached(&run.f.plan) == 0 && feed(&run) == 0,
		"%s: runs without a cache", toy))
		diag("%s", err.msg);
	ok(nplanned > 0 && same(), "%s: what is planned is read, in order",
	    toy);
	diag("%zu reads", nplanned);
	k3_readplan_fini(&run.plan);
	fixture_close(&run.f);
}

static void
refusals(const char *dir)
{
	const uint32_t good[] = { 0 }, bad[] = { 100000 };
	struct k3_route r = { .kind = 'p', .layer = 1, .n = 1, .expert = good };
	static struct run run;
	struct k3_readplan *p = &run.plan;

	if (start(&run, dir, NULL, 1) != 0)
		diag("%s", err.msg);
	ok(k3_readplan_end(p, &err) == 0 && k3_readplan_add(p, &r, &err) == 0 &&
		nplanned == 0,
	    "nothing is read before all of a visit is known");
	ok(k3_readplan_add(p, &r, &err) == 0 && k3_readplan_end(p, &err) == 0 &&
		nplanned == 1,
	    "what two tokens want is read once");
	r.expert = bad;
	ok(k3_readplan_add(p, &r, &err) != 0 && err.code == EX_DATAERR,
	    "an expert that the model lacks is refused");
	r.expert = good;
	for (r.layer = 0; r.layer < 4; r.layer += 3)
		ok(k3_readplan_add(p, &r, &err) != 0 && err.code == EX_DATAERR,
		    "layer %u, without experts, is refused", (unsigned)r.layer);
	k3_readplan_fini(p);
	fixture_close(&run.f);
}

int
main(void)
{
	static const char *const toys[] = { "odd", "wide", "mixed", "big",
		"thirteen" };
	const char *root = getenv("K3_TOYS");
	char dir[512], rm[64];

	for (size_t i = 0; root != NULL && i < 5; i++) {
		char to[] = "/tmp/k3-readplan-XXXXXX";

		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		if (mkdtemp(to) == NULL || stream_pack(dir, to, &err) != 0)
			diag("%s: %s", to, err.msg);
		check(toys[i], dir, to);
		snprintf(rm, sizeof(rm), "rm -r %s", to);
		if (system(rm) != 0)
			diag("cannot remove %s", to);
	}
	if (root != NULL) {
		snprintf(dir, sizeof(dir), "%s/tiny", root);
		refusals(dir);
	}
	return tap_done();
}
