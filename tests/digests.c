/*
 * digests.c - the logits of every model here, to the last bit
 *
 * tests/vectors/digests holds, for each toy and the demo, the XXH3-64 of the
 * logits of 40 positions of a fixed prompt.  They are the same on every CPU
 * level and architecture.  A change of one bit is a change of the promise: it
 * needs a commit that says so.  K3_BLESS=1 prints the lines to commit.
 */
#include <inttypes.h>
#include <stdio.h>

#include "common/cpu.h"
#include "common/digest.h"
#include "tests/fixture.h"
#include "tests/tap.h"

#define NPOS 40

static const char *const models[] = { "tiny", "thirteen", "odd", "wide",
	"mixed", "big", "demo" };
static const char *const levels[] = { "scalar", "avx2", "avx512", "neon" };

static struct k3_err err;

/* Enough of a prompt to leave the first convolution and chunk behind. */
static bool
digest(const char *dir, unsigned cpu, uint64_t *out)
{
	struct fixture f = { 0 };
	uint32_t id[NPOS];
	float *logits = NULL;
	bool done = false;

	if (fixture_open(&f, dir, NPOS, 16, 2, cpu, &err) &&
	    (logits = calloc((size_t)NPOS * f.cfg.vocab, sizeof(float))) !=
		NULL) {
		done = true;
		for (uint32_t i = 0; i < NPOS; i++)
			id[i] = (i * i * 31 + 7) % f.cfg.vocab;
		for (uint32_t i = 0; i < NPOS && done; i += 16) {
			uint32_t n = NPOS - i < 16 ? NPOS - i : 16;
			struct k3_span span = { &f.state, id + i, n, n,
				logits + (size_t)i * f.cfg.vocab };

			done = k3_forward(f.model, &span, 1, &err) == 0;
		}
		*out = k3_digest64(logits,
		    (size_t)NPOS * f.cfg.vocab * sizeof(float));
	}
	free(logits);
	fixture_close(&f);
	return done;
}

/* The committed digest of a model. */
static bool
committed(const char *model, uint64_t *out)
{
	FILE *fp = fopen("tests/vectors/digests", "r");
	char name[64];
	bool found = false;

	while (
	    fp != NULL && !found && fscanf(fp, "%63s %" SCNx64, name, out) == 2)
		found = strcmp(name, model) == 0;
	if (fp != NULL)
		fclose(fp);
	return found;
}

static void
check(const char *model, const char *dir, const char *level)
{
	uint64_t want = 0, got = 0;
	char name[128];
	unsigned cpu;

	snprintf(name, sizeof(name), "%s, %s", model, level);
	if (k3_cpu_parse(level, &cpu, &err) != 0) {
		skip(name, "this CPU lacks it");
		return;
	}
	if (!ok(digest(dir, cpu, &got) && committed(model, &want) &&
		    got == want,
		"%s", name))
		diag("got %016" PRIx64 ", want %016" PRIx64 " %s", got, want,
		    err.msg);
}

int
main(void)
{
	const char *toys = getenv("K3_TOYS");
	bool bless = getenv("K3_BLESS") != NULL;
	char dir[512];

	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		uint64_t got = 0;

		snprintf(dir, sizeof(dir), "%s/%s", toys, models[i]);
		if (strcmp(models[i], "demo") == 0)
			snprintf(dir, sizeof(dir), "examples/demo");
		else if (toys == NULL)
			continue;
		if (bless && digest(dir, 0, &got))
			printf("%s %016" PRIx64 "\n", models[i], got);
		for (size_t k = 0;
		     k < sizeof(levels) / sizeof(levels[0]) && !bless; k++)
			check(models[i], dir, levels[k]);
	}
	return bless ? 0 : tap_done();
}
