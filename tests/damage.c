/*
 * damage.c - what has another digest than it should is named, by any threads
 *
 * The toys are right; it is a digest that is made wrong.  What the run says
 * then is compared with what it says with one thread, which looks at tensors
 * and experts one by one, as they are used.
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/sidecar.h"
#include "tests/stream.h"
#include "tests/tap.h"

/* Parts of experts adjoin; of most; of none. */
static const char *const toys[] = { "wide", "odd", "mixed" };

#define IDS   4  /* one chunk */
#define STEP  23 /* entries */
#define KINDS 3

/* The end of aio takes 30 ms, and there are hundreds. */
static const struct stream kinds[KINDS] = {
	{ .pread = true, .more = UINT64_MAX },
	{ .pread = true, .more = UINT64_MAX, .lookahead = 4 },
	{ .pread = true, .more = 0 },
};

static struct k3_err err;
static struct k3_sidecar *sidecar;
static uint64_t *right; /* [k3_sidecar_count()] */

static uint64_t
digest_of(struct k3_st *st, uint64_t i)
{
	struct k3_digest *d = k3_digest_open(K3_DIGEST_64, &err);
	struct k3_loc loc[K3_NPART];
	unsigned n = k3_sidecar_places(sidecar, st, i, loc);
	uint64_t digest;

	if (d == NULL)
		abort();
	for (unsigned k = 0; k < n; k++) {
		uint8_t *buf = malloc(loc[k].len);

		if (buf == NULL || k3_st_read(st, loc[k].file, loc[k].off, buf,
				       loc[k].len, "test", &err) != 0)
			abort();
		k3_digest_add(d, buf, loc[k].len);
		free(buf);
	}
	digest = k3_digest_get64(d);
	k3_digest_close(d);
	return digest;
}

/* Nothing has been looked at. */
static void
forget(void)
{
	for (uint64_t i = 0; i < k3_sidecar_count(sidecar); i++)
		k3_sidecar_set(sidecar, i, right[i]);
}

static void
begin(const char *dir, struct k3_cfg *cfg)
{
	static const uint8_t print[K3_DIGEST128];
	struct k3_st *st;

	if (k3_cfg_load(cfg, dir, &err) != 0 ||
	    (st = k3_st_open(dir, cfg, &err)) == NULL ||
	    (sidecar = k3_sidecar_open(cfg, print, &err)) == NULL ||
	    (right = calloc(k3_sidecar_count(sidecar), sizeof(*right))) == NULL)
		abort();
	for (uint64_t i = 0; i < k3_sidecar_count(sidecar); i++)
		right[i] = digest_of(st, i);
	k3_st_close(st);
}

/* After a failure, with the right digests: as if there had been none. */
static bool
recovers(struct stream *s, uint64_t want)
{
	struct k3_err none;

	forget();
	return stream_feed(s, IDS, &none) == 0 && s->digest == want;
}

/*
 * Run with the digests of entry 'i' and of each 'step' more wrong.  What it
 * says, or "" if all that it wanted was right; "bad" if it errs.
 */
static void
run(struct stream *s, uint64_t i, uint64_t step, uint64_t want, char *said)
{
	bool good = true;

	forget();
	for (; i < k3_sidecar_count(sidecar); i += step)
		k3_sidecar_set(sidecar, i, right[i] ^ 1);
	s->digests = sidecar;
	*said = '\0';
	if (stream_open(s, &err) != 0) {
		strcpy(said, err.msg);
	} else if (stream_feed(s, IDS, &err) != 0) {
		strcpy(said, err.msg);
		good = recovers(s, want);
	} else {
		good = s->digest == want;
	}
	stream_close(s);
	if (*said != '\0')
		good = good && err.code == EX_DATAERR &&
		       strstr(said, "digest is") != NULL;
	if (!good)
		strcpy(said, "bad");
}

/* The same with 1 thread and with more; how often something is said. */
static unsigned
compare(const char *dir, uint64_t i, uint64_t step, uint64_t want,
    unsigned *other)
{
	char one[sizeof(err.msg)] = "", said[sizeof(err.msg)] = "";
	unsigned told = 0;

	for (size_t k = 0; k < KINDS; k++) {
		for (unsigned threads = 1; threads <= 3; threads += 2) {
			struct stream s = kinds[k];

			s.dir = dir;
			s.threads = threads;
			run(&s, i, step, want, threads == 1 ? one : said);
			*other += threads > 1 && strcmp(one, said) != 0;
		}
		*other += strcmp(one, "bad") == 0;
		told += one[0] != '\0';
	}
	return told;
}

/* Each of some entries, those that are not used too; then many at once. */
static void
check(const char *dir, const char *toy)
{
	struct stream all = { .dir = dir, .more = UINT64_MAX };
	unsigned told = 0, other = 0, used = 0, total = 0;
	char said[sizeof(err.msg)];
	struct k3_cfg cfg;
	uint64_t n;

	begin(dir, &cfg);
	n = k3_sidecar_count(sidecar);
	run(&all, n, 1, 0, said);
	for (uint64_t i = 0; i < n; i += STEP)
		used += k3_sidecar_checked(sidecar, i) ? KINDS : 0;
	for (uint64_t i = 0; i < n; i += STEP, total += KINDS)
		told += compare(dir, i, n, all.digest, &other);
	ok(told == used && other == 0 && used > 0,
	    "%s: what is wrong is named where it is used", toy);
	diag("%u told of %u used of %u, %u other", told, used, total, other);
	told = 0;
	for (uint64_t i = 0; i < 4; i++)
		told += compare(dir, 9 * i, 2 + i, all.digest, &other);
	ok(told == 4 * KINDS && other == 0, "%s: the first of many", toy);
	ok(compare(dir, n, 1, all.digest, &other) == 0 && other == 0,
	    "%s: nothing, where all is right", toy);
	k3_sidecar_close(sidecar);
	free(right);
}

int
main(void)
{
	const char *root = getenv("K3_TOYS");
	char dir[512];

	for (size_t i = 0; root != NULL && i < sizeof(toys) / sizeof(*toys);
	     i++) {
		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		check(dir, toys[i]);
	}
	if (root == NULL)
		skip("what is wrong is named", "K3_TOYS is not set");
	return tap_done();
}
