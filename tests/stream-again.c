/*
 * stream-again.c - a model goes on after whatever went wrong
 *
 * A read that fails once, bytes that are wrong once, a pass that is left: the
 * next sequence has the right logits.  So have two in one pass, and two models
 * in one process.
 */
#include <stdio.h>

#include "tests/stream.h"
#include "tests/tap.h"

static const char *const toys[] = { "odd", "mixed" };
static const uint64_t mores[] = { 0, 200000, UINT64_MAX };
#define NMORE (sizeof(mores) / sizeof(*mores))

static struct k3_err err;

/*
 * Feed until it fails, and once more: what is wrong and in memory would be used
 * then.  A wrong matrix that stays there, with no digest, fails for ever.
 */
static bool
recovers(struct stream *s, uint64_t want, unsigned *failed)
{
	bool good = true;

	if (stream_open(s, &err) == 0 &&
	    stream_feed(s, STREAM_IDS, &err) != 0) {
		failed[strstr(err.msg, "expert ") != NULL ||
		       strstr(err.msg, ".experts.") != NULL]++;
		if (stream_feed(s, STREAM_IDS, &err) != 0)
			good = strstr(err.msg, "not finite") != NULL &&
			       k3_plan_pinned(&s->f.plan) > 0;
		else
			good = s->digest == want;
	}
	stream_close(s);
	return good;
}

static void
once(const char *dir, const char *toy, uint64_t want, bool burn)
{
	unsigned failed[2] = { 0, 0 };
	bool good = true;

	for (size_t i = 0; i < NMORE; i++)
		for (uint64_t n = 0; n < 400; n += 1 + n / 3) {
			struct faults f = { .some = !burn,
				.fail = n,
				.burn = burn ? n + 1 : 0,
				.hang = FAULTY_NEVER,
				.gone = FAULTY_NEVER };
			struct stream s = { .dir = dir,
				.more = mores[i],
				.piece = (size_t)1 << 20,
				.faults = &f,
				.depth = 1 + (unsigned)i % 2 * 7 };

			if (recovers(&s, want, failed))
				continue;
			good = false;
			diag("least and %llu, read %llu: %s",
			    (unsigned long long)mores[i], (unsigned long long)n,
			    err.msg);
		}
	/* Which read is the n-th depends on who comes first. */
	ok(good && failed[0] > 0 && failed[1] > 0 && failed[0] + failed[1] > 20,
	    "%s: goes on after a read that %s once", toy,
	    burn ? "was wrong" : "failed");
	diag("%u in the trunk, %u in experts", failed[0], failed[1]);
}

/* A pass of the first IDs, left after some half-layers. */
static int
leave(struct stream *s, unsigned halves, uint32_t nlogit, float *logits)
{
	uint32_t id[STREAM_IDS];
	struct k3_span span = { &s->f.state, id, 3, nlogit, logits };

	stream_ids(s, id);
	k3_state_reset(&s->f.state);
	if (k3_pass_begin(s->f.model, &span, 1, &err) != 0)
		return -1;
	for (unsigned i = 0; i < halves; i++)
		if (k3_pass_half(s->f.model, &err) == -1)
			return -1;
	return 0;
}

static void
left(const char *dir, const char *toy, uint64_t want)
{
	bool good = true;

	for (size_t i = 0; i < NMORE; i++) {
		struct faults f = { .shuffle = 100, .slow_us = 10 };
		struct stream s = { .dir = dir,
			.more = mores[i],
			.faults = &f };
		float *logits;

		if (stream_open(&s, &err) != 0)
			good = false;
		logits = calloc(3 * (size_t)s.f.cfg.vocab, sizeof(*logits));
		for (unsigned h = 0; h <= 2 * s.f.cfg.nlayer && good; h++) {
			good = leave(&s, h, h % 2, logits) == 0;
			/* Now and then several, the one after the other. */
			if (good && h % 3 == 0)
				good = leave(&s, 1, h % 4, logits) == 0;
			if (good && h % 3 == 1)
				continue;
			good = good && stream_feed(&s, 4 + h % 3, &err) == 0 &&
			       leave(&s, 2 * s.f.cfg.nlayer, 0, logits) == 0 &&
			       stream_feed(&s, STREAM_IDS, &err) == 0 &&
			       s.digest == want;
			if (!good)
				diag("least and %llu, %u halves: %s",
				    (unsigned long long)mores[i], h, err.msg);
		}
		free(logits);
		stream_close(&s);
	}
	ok(good, "%s: goes on after passes that were left", toy);
}

/* The logits of a prompt, alone in memory and as two spans of one pass. */
static void
spans(const char *dir, const char *toy)
{
	struct stream all = { .dir = dir, .more = UINT64_MAX };
	struct stream s = { .dir = dir, .head_rows = 37 };
	struct k3_state more = { 0 };
	uint32_t id[STREAM_IDS];
	bool good = stream_open(&all, &err) == 0 &&
		    stream_open(&s, &err) == 0 &&
		    k3_state_init(&more, &s.f.cfg, STREAM_IDS, &err) == 0;
	size_t vocab = s.f.cfg.vocab;
	float *logits = calloc(8 * vocab, sizeof(*logits));
	float *want = logits + 4 * vocab;

	stream_ids(&s, id);
	for (unsigned i = 0; i < 2 && good; i++) {
		struct k3_span span = { &all.f.state, id + 2 * i, 2, 2,
			want + 2 * i * vocab };

		k3_state_reset(&all.f.state);
		good = k3_forward(all.f.model, &span, 1, &err) == 0;
	}
	for (unsigned i = 0; i < 3 && good; i++) {
		struct k3_span span[2] = { { &s.f.state, id, 2, 2, logits },
			{ &more, id + 2, 2, 2, logits + 2 * vocab } };

		k3_state_reset(&s.f.state);
		k3_state_reset(&more);
		memset(logits, 0, 4 * vocab * sizeof(*logits));
		good = k3_forward(s.f.model, span, 2, &err) == 0 &&
		       memcmp(logits, want, 4 * vocab * sizeof(*want)) == 0;
	}
	ok(good, "%s: two spans share the parts of lm_head", toy);
	free(logits);
	k3_state_fini(&more);
	stream_close(&all);
	stream_close(&s);
}

/* Half-layers of one and the other in turn, of one folder or of two. */
static void
two(const char *one, const char *other, const char *toy)
{
	struct stream s[2] = { { .dir = one },
		{ .dir = other, .more = 50000 } };
	struct stream all[2] = { { .dir = one, .more = UINT64_MAX },
		{ .dir = other, .more = UINT64_MAX } };
	float *logits[2] = { NULL, NULL };
	struct k3_span span[2];
	uint32_t id[2][STREAM_IDS];
	bool good = true;

	for (int i = 0; i < 2; i++)
		good = stream_open(&s[i], &err) == 0 &&
		       stream_open(&all[i], &err) == 0 &&
		       stream_feed(&all[i], 4, &err) == 0 && good;
	for (int turn = 0; turn < 3 && good; turn++) {
		int more[2] = { 1, 1 };

		for (int i = 0; i < 2 && good; i++) {
			stream_ids(&s[i], id[i]);
			free(logits[i]);
			logits[i] =
			    calloc((size_t)STREAM_IDS * s[i].f.cfg.vocab,
				sizeof(float));
			k3_state_reset(&s[i].f.state);
			span[i] = (struct k3_span){ &s[i].f.state, id[i], 4, 4,
				logits[i] };
			good =
			    k3_pass_begin(s[i].f.model, &span[i], 1, &err) == 0;
		}
		while (good && (more[0] == 1 || more[1] == 1))
			for (int i = 0; i < 2; i++)
				if (more[i] == 1)
					more[i] =
					    k3_pass_half(s[i].f.model, &err);
		for (int i = 0; i < 2 && good; i++)
			good = more[i] == 0 &&
			       k3_pass_end(s[i].f.model, &err) == 0 &&
			       k3_digest64(logits[i],
				   (size_t)STREAM_IDS * s[i].f.cfg.vocab *
				       sizeof(float)) == all[i].digest;
	}
	ok(good, "%s: two models in turn", toy);
	for (int i = 0; i < 2; i++) {
		free(logits[i]);
		stream_close(&s[i]);
		stream_close(&all[i]);
	}
}

int
main(void)
{
	const char *root = getenv("K3_TOYS");
	char dir[512], last[512] = "";

	for (size_t i = 0; root != NULL && i < sizeof(toys) / sizeof(*toys);
	     i++) {
		struct stream all = { .dir = dir, .more = UINT64_MAX };

		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		if (stream_run(&all, &err) != 0) {
			ok(false, "%s: %s", toys[i], err.msg);
			continue;
		}
		stream_close(&all);
		once(dir, toys[i], all.digest, false);
		once(dir, toys[i], all.digest, true);
		left(dir, toys[i], all.digest);
		spans(dir, toys[i]);
		two(dir, last[0] != '\0' ? last : dir, toys[i]);
		memcpy(last, dir, sizeof(last));
	}
	return tap_done();
}
