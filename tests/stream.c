/*
 * stream.c - whatever the disk does, the right logits or a named error
 *
 * A toy is run in little memory through an engine that fails: what comes out
 * is compared with a run that has all of it in memory.
 */
#include <stdio.h>

#include "tests/stream.h"
#include "tests/tap.h"

static const char *const toys[] = { "thirteen", "odd", "wide", "mixed" };

static struct k3_err err;

static bool
gives(struct stream *s, uint64_t want)
{
	bool good = stream_run(s, &err) == 0 && s->digest == want;

	stream_close(s);
	return good;
}

/* Disks that are slow, late, out of order and give a bit at a time. */
static void
awkward(const char *dir, const char *packed, const char *toy, uint64_t want)
{
	static const struct faults kinds[] = {
		{ .cut = 200 },
		{ .shuffle = 200 },
		{ .again = 4, .refuse = 20 },
		{ .cut = 100, .shuffle = 100, .again = 2, .refuse = 10 },
		{ .no_direct = true, .cut = 100, .shuffle = 200 },
		{ .slow_us = 20, .shuffle = 250 },
	};
	bool good = true;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		bool deep = k % 2 == 1;
		struct faults f = kinds[k];
		struct stream s = { .dir = dir,
			.packed = packed,
			.more = deep ? 100000 : 0,
			.faults = &f,
			.depth = deep ? 16 : 1 };

		f.seed = k + 1;
		if (gives(&s, want))
			continue;
		good = false;
		diag("disk %zu, least and %llu, depth %u: %s", k,
		    (unsigned long long)s.more, s.depth, err.msg);
	}
	ok(good, "%s: the same logits from awkward disks in little memory%s",
	    toy, packed != NULL ? ", packed" : "");
}

/* Every read fails once, for good: a named error, never other logits. */
static void
broken(const char *dir, const char *toy, uint64_t want)
{
	unsigned failed = 0, other = 0, unnamed = 0, total = 0;

	for (uint64_t n = 0; n < 800; n += 1 + n / 2) {
		struct faults f = { .some = true,
			.fail = n,
			.hang = FAULTY_NEVER,
			.gone = n % 2 == 0 ? FAULTY_NEVER : n };
		struct stream s = { .dir = dir, .faults = &f };
		int bad = stream_run(&s, &err);

		stream_close(&s);
		total++;
		failed += bad != 0;
		/* What was only read ahead need not have been wanted. */
		other += bad == 0 && s.digest != want;
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
	struct stream s = { .dir = dir, .faults = &f, .timeout = 0.2 };

	ok(stream_run(&s, &err) != 0 && err.code == EX_IOERR,
	    "%s: a silent disk is an error", toy);
	diag("%s", err.msg);
	/* Or else its memory could not be freed. */
	f.release = true;
	stream_close(&s);
}

/* The error of bytes that are not right names their file and tensor. */
static bool
names(const char *suffix)
{
	return err.code == EX_DATAERR && strstr(err.msg, suffix) != NULL &&
	       strstr(err.msg, "layers.") != NULL;
}

/*
 * One byte of a packed layer is another, at the first read of it: its digest
 * tells, or it is one that nobody wanted.
 */
static void
turned(const char *dir, const char *packed, const char *toy)
{
	struct stream all = { .dir = dir, .more = UINT64_MAX };
	unsigned other = 0, unnamed = 0, told = 0;

	if (stream_open(&all, &err) != 0 || stream_feed(&all, 4, &err) != 0)
		diag("%s", err.msg);
	stream_close(&all);
	for (uint64_t n = 0; n < 160; n += 1 + n / 8) {
		struct faults f = { .seed = n,
			.turn = n + 1,
			.suffix = ".k3l" };
		struct stream s = { .dir = dir,
			.packed = packed,
			.faults = &f,
			.depth = 1 };
		int bad = stream_open(&s, &err);

		if (bad == 0)
			bad = stream_feed(&s, 4, &err);
		other += bad == 0 && s.digest != all.digest;
		told += bad != 0;
		unnamed += bad != 0 && !names(".k3l'");
		/* Read again, it is right. */
		if (bad != 0 && s.f.state.context > 0)
			other += stream_feed(&s, 4, &err) != 0 ||
				 s.digest != all.digest;
		stream_close(&s);
	}
	ok(other == 0 && unnamed == 0 && told > 5,
	    "%s: a wrong byte in a packed layer is found, by name", toy);
	diag("%u told, %u unnamed, %u other: %s", told, unnamed, other,
	    err.msg);
}

/* All bytes of a read are 0xff, which is NaN, and no scale. */
static void
burnt(const char *dir, const char *toy, uint64_t want)
{
	unsigned other = 0, unnamed = 0, expert = 0, trunk = 0;

	for (uint64_t n = 0; n < 300; n += 1 + n / 8) {
		struct faults f = { .burn = n + 1 };
		struct stream s = { .dir = dir,
			.piece = (size_t)1 << 20,
			.faults = &f,
			.depth = 1 };
		int bad = stream_run(&s, &err);

		other += bad == 0 && s.digest != want;
		expert += bad != 0 && strstr(err.msg, "scale byte") != NULL;
		trunk += bad != 0 && strstr(err.msg, "scale byte") == NULL;
		unnamed += bad != 0 && err.code != EX_DATAERR;
		unnamed += bad != 0 && strstr(err.msg, "layers.") == NULL &&
			   strstr(err.msg, "lm_head") == NULL;
		stream_close(&s);
	}
	ok(other == 0 && unnamed == 0 && expert > 0 && trunk > 5,
	    "%s: burnt weights and scales are found, by name", toy);
	diag("%u experts, %u others, %u unnamed, %u wrong", expert, trunk,
	    unnamed, other);
}

static void
packed_tests(const char *dir, const char *toy, uint64_t want)
{
	char to[] = "/tmp/k3-stream.XXXXXX", rm[64];
	struct stream none = { .dir = dir, .packed = to };

	if (mkdtemp(to) == NULL || stream_pack(dir, to, &err) != 0) {
		ok(false, "%s: packs", toy);
		return;
	}
	ok(gives(&none, want), "%s: the same logits from a packed trunk", toy);
	if (strcmp(toy, "mixed") == 0)
		awkward(dir, to, toy, want);
	turned(dir, to, toy);
	snprintf(rm, sizeof(rm), "rm -r %s", to);
	if (system(rm) != 0)
		diag("cannot remove %s", to);
}

int
main(void)
{
	const char *root = getenv("K3_TOYS");

	for (size_t i = 0; root != NULL && i < sizeof(toys) / sizeof(*toys);
	     i++) {
		char dir[512];
		struct stream all = { .dir = dir, .more = UINT64_MAX };
		struct stream none = { .dir = dir };
		bool good;

		snprintf(dir, sizeof(dir), "%s/%s", root, toys[i]);
		good = ok(stream_run(&all, &err) == 0, "%s: runs in memory",
		    toys[i]);
		if (!good)
			diag("%s", err.msg);
		good = good && stream_run(&none, &err) == 0 &&
		       none.digest == all.digest;
		ok(good &&
			k3_model_trunk(none.f.model)->bytes >
			    2 * k3_model_trunk(all.f.model)->bytes &&
			k3_model_experts(none.f.model)->hits == 0,
		    "%s: and with the least, from the disk", toys[i]);
		stream_close(&all);
		stream_close(&none);
		if (!good)
			continue;
		awkward(dir, NULL, toys[i], all.digest);
		broken(dir, toys[i], all.digest);
		silent(dir, toys[i]);
		burnt(dir, toys[i], all.digest);
		if (i >= 2)
			packed_tests(dir, toys[i], all.digest);
	}
	return tap_done();
}
