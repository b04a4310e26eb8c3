/*
 * stream.h - a toy run in little memory, on a disk that fails
 */
#ifndef K3_TESTS_STREAM_H
#define K3_TESTS_STREAM_H

#include "common/cpu.h"
#include "common/digest.h"
#include "common/pack.h"
#include "tests/faulty.h"
#include "tests/fixture.h"

#define STREAM_IDS 12

struct stream {
	const char *dir, *packed;
	uint64_t more;         /* bytes beyond the least; UINT64_MAX: all */
	struct faults *faults; /* NULL: the machine's engine, */
	bool pread;            /* or the one that is closed at once */
	unsigned depth;
	size_t piece; /* 0: 8192 */
	uint32_t lookahead;
	uint64_t head_rows; /* of lm_head at once; 0: as planned */
	unsigned threads;   /* 0: 2 */
	struct k3_sidecar *digests;
	double timeout;
	struct fixture f;
	uint64_t digest; /* of all logits */
};

/* The least memory that works. */
static inline uint64_t
stream_least(struct stream *s, struct k3_plan_ask *ask, struct k3_err *err)
{
	ask->ram = 1;
	if (k3_plan_make(&s->f.plan, &s->f.cfg, s->f.st, ask, err) == 0)
		return 0;
	return s->f.plan.total;
}

/* stream_close() after. */
static inline int
stream_open(struct stream *s, struct k3_err *err)
{
	struct k3_plan_ask ask = { .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.ram = UINT64_MAX,
		.context = STREAM_IDS,
		.chunk = 4,
		.sequences = 1,
		.lookahead = s->lookahead,
		.threads = s->threads > 0 ? s->threads : 2 };
	struct k3_model_ask how = { .cpu = k3_cpu_best(),
		.packed = s->packed,
		.digests = s->digests,
		.io = { .depth = s->depth,
		    .timeout = s->timeout,
		    .piece = s->piece > 0 ? s->piece : 8192 } };
	struct fixture *f = &s->f;

	memset(f, 0, sizeof(*f));
	if (s->faults != NULL) {
		how.io.engine = &faulty;
		how.io.arg = s->faults;
	} else if (s->pread) {
		how.io.engine = k3_io_engine("pread", err);
	}
	if (k3_cfg_load(&f->cfg, s->dir, err) != 0 ||
	    (f->st = k3_st_open(s->dir, &f->cfg, err)) == NULL)
		return -1;
	if (s->more != UINT64_MAX)
		ask.ram = stream_least(s, &ask, err) + s->more;
	if (k3_plan_make(&f->plan, &f->cfg, f->st, &ask, err) != 0)
		return -1;
	if (s->head_rows > 0) {
		f->plan.head_rows = s->head_rows;
		f->plan.npiece += f->cfg.vocab / s->head_rows;
	}
	if ((f->model = k3_model_open(f->st, &f->plan, &how, err)) == NULL)
		return -1;
	return k3_state_init(&f->state, &f->cfg, STREAM_IDS, err);
}

static inline void
stream_close(struct stream *s)
{
	fixture_close(&s->f);
}

static inline void
stream_ids(const struct stream *s, uint32_t id[STREAM_IDS])
{
	for (uint32_t i = 0; i < STREAM_IDS; i++)
		id[i] = (i * i * 13 + 5) % s->f.cfg.vocab;
}

/* A prompt in two chunks, then IDs one by one, 'n' in all, from the start. */
static inline int
stream_feed(struct stream *s, uint32_t n, struct k3_err *err)
{
	size_t vocab = s->f.cfg.vocab;
	float *logits = calloc(STREAM_IDS * vocab, sizeof(float));
	uint32_t id[STREAM_IDS];
	int bad = 0;

	if (logits == NULL)
		return k3_fail(err, EX_OSERR, "no memory for logits");
	stream_ids(s, id);
	k3_state_reset(&s->f.state);
	for (uint32_t i = 0, each; i < n && bad == 0; i += each) {
		struct k3_span span;

		each = i < 8 ? 4 : 1;
		span = (struct k3_span){ &s->f.state, id + i, each,
			i == 0 && n > 4 ? 0 : each, logits + i * vocab };
		bad = k3_forward(s->f.model, &span, 1, err);
	}
	s->digest = k3_digest64(logits, STREAM_IDS * vocab * sizeof(float));
	free(logits);
	return bad;
}

/* Open and feed all; what it read stays to be looked at. */
static inline int
stream_run(struct stream *s, struct k3_err *err)
{
	if (stream_open(s, err) != 0)
		return -1;
	return stream_feed(s, STREAM_IDS, err);
}

/* Write the packed trunk of DIR into a folder that is there. */
static inline int
stream_pack(const char *dir, const char *to, struct k3_err *err)
{
	uint8_t print[K3_DIGEST128];
	struct fixture f = { 0 };
	char name[K3_PACK_NAME], path[512];
	int bad = -1;
	FILE *fp;

	if (k3_cfg_load(&f.cfg, dir, err) == 0 &&
	    (f.st = k3_st_open(dir, &f.cfg, err)) != NULL)
		bad = k3_fingerprint(&f.cfg, f.st, print, err);
	for (unsigned i = 0; i < f.cfg.nlayer && bad == 0; i++) {
		k3_pack_name(&f.cfg, i, name);
		snprintf(path, sizeof(path), "%s/%s", to, name);
		if ((fp = fopen(path, "w")) == NULL) {
			bad = k3_fail_errno(err, EX_CANTCREAT, "'%s'", path);
			break;
		}
		bad = k3_pack_write(&f.cfg, f.st, i, print, fp, path, NULL,
		    NULL, err);
		if (fclose(fp) != 0)
			bad = -1;
	}
	k3_st_close(f.st);
	return bad;
}

#endif
