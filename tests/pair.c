/*
 * pair.c - two models in two threads of one process, each with its own answer
 *
 * They share the kernels' table and nothing else: under ThreadSanitizer this
 * tells whether that is so.
 */
#include <pthread.h>

#include "tests/stream.h"
#include "tests/tap.h"

#define TURNS 3

struct side {
	struct stream s;
	uint64_t digest[TURNS];
	struct k3_err err;
	int bad;
};

static void *
turns(void *arg)
{
	struct side *side = arg;

	for (int i = 0; i < TURNS && side->bad == 0; i++) {
		side->bad = stream_run(&side->s, &side->err);
		side->digest[i] = side->s.digest;
		stream_close(&side->s);
	}
	return NULL;
}

static bool
alone(struct side *side)
{
	turns(side);
	if (side->bad != 0)
		diag("%s", side->err.msg);
	return side->bad == 0;
}

static bool
same(const struct side *a, const struct side *b)
{
	if (b->bad != 0)
		diag("%s", b->err.msg);
	return b->bad == 0 &&
	       memcmp(a->digest, b->digest, sizeof(a->digest)) == 0;
}

int
main(void)
{
	static const char *const toy[2] = { "tiny", "odd" };
	struct side want[2], got[2];
	const char *toys = getenv("K3_TOYS");
	pthread_t thread[2];
	char dir[2][512];

	if (toys == NULL) {
		skip("two models at once", "K3_TOYS is not set");
		return tap_done();
	}
	for (int i = 0; i < 2; i++) {
		snprintf(dir[i], sizeof(dir[i]), "%s/%s", toys, toy[i]);
		want[i] = (struct side){ .s = { .dir = dir[i] } };
		got[i] = want[i];
		ok(alone(&want[i]), "%s alone", toy[i]);
	}
	ok(want[0].digest[0] != want[1].digest[0], "answers that differ");
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, turns, &got[i]) != 0)
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	for (int i = 0; i < 2; i++)
		ok(same(&want[i], &got[i]), "%s beside another", toy[i]);
	return tap_done();
}
