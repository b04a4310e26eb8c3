/*
 * ahead.c - experts read on a guess: right or wrong, the same logits
 */
#include <stdio.h>

#include "tests/stream.h"
#include "tests/tap.h"

static const char *const toys[] = { "thirteen", "odd", "wide", "mixed" };

static struct k3_err err;

/* Run; the counts go to '*stats'. */
static int
run(struct stream *s, struct k3_experts_stats *stats)
{
	int bad = stream_run(s, &err);

	if (s->f.model != NULL)
		*stats = *k3_model_experts(s->f.model);
	stream_close(s);
	return bad;
}

static void
check(const char *dir, const char *toy)
{
	static const uint32_t guesses[] = { 1, 3, 40 };
	struct stream all = { .dir = dir, .more = UINT64_MAX };
	struct k3_experts_stats stats = { 0 }, none = { 0 };
	uint64_t right = 0, wrong = 0;
	bool good = run(&all, &none) == 0;

	ok(good && none.right == 0 && none.wrong == 0,
	    "%s: no guess unless asked for", toy);
	for (size_t i = 0; i < 3; i++) {
		struct faults slow = { .slow_us = 20, .shuffle = 200 };
		struct stream s = { .dir = dir,
			.more = 300000,
			.lookahead = guesses[i],
			.faults = i == 1 ? &slow : NULL,
			.depth = 4 };

		good = run(&s, &stats) == 0 && s.digest == all.digest && good;
		good = stats.demands == none.demands && good;
		right += stats.right;
		wrong += stats.wrong;
	}
	ok(good, "%s: 1, 3 and 40 guesses change no logits and no demand", toy);
	ok(right > 0 && wrong > 0, "%s: some are right, some wrong", toy);
	diag("%u right, %u wrong", (unsigned)right, (unsigned)wrong);
}

/* A guess that cannot be read is an error only if it is wanted. */
static void
broken(const char *dir, const char *toy)
{
	struct stream all = { .dir = dir, .more = UINT64_MAX };
	struct k3_experts_stats stats;
	unsigned failed = 0, bad = 0;

	if (run(&all, &stats) != 0)
		return;
	for (uint64_t n = 60; n < 600; n += 1 + n / 5) {
		struct faults f = { .some = true,
			.fail = n,
			.hang = FAULTY_NEVER,
			.gone = FAULTY_NEVER };
		struct stream s = { .dir = dir,
			.more = 300000,
			.lookahead = 4,
			.faults = &f };

		if (run(&s, &stats) != 0) {
			failed++;
			bad += err.code != EX_IOERR;
		} else {
			bad += s.digest != all.digest;
		}
	}
	ok(bad == 0 && failed > 0, "%s: or a named error", toy);
	diag("%u failed", failed);
}

int
main(void)
{
	const char *root = getenv("K3_TOYS");

	for (size_t i = 0; root != NULL && i < 4; i++) {
		char dir[512];

		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		check(dir, toys[i]);
		broken(dir, toys[i]);
	}
	return tap_done();
}
