/*
 * verify-ladder.c - one prompt, run in many ways, must give the same each time
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/verify-ladder.h"

static const char *const names[LADDER_NRUNG] = {
	[LADDER_BUDGETS] = "budgets",
	[LADDER_THREADS] = "threads",
	[LADDER_CHUNKS] = "chunks",
	[LADDER_CPU] = "cpu",
	[LADDER_IO] = "io",
	[LADDER_TRUNK] = "trunk",
	[LADDER_DIGESTS] = "digests",
	[LADDER_LOOKAHEAD] = "lookahead",
	[LADDER_TOGETHER] = "together",
};

const char *
ladder_name(enum ladder_rung_name rung)
{
	return names[rung];
}

uint64_t
ladder_tokens(const struct ladder *l)
{
	return (uint64_t)l->prompt.n + l->prompt.count - 1;
}

static void
tell(struct ladder_rung *rung, const char *where, uint32_t step,
    const struct replay_step *got, const struct replay_step *want)
{
	char ids[64];

	if (rung->first[0] != '\0')
		return;
	if (got->id == want->id)
		snprintf(ids, sizeof(ids), "ID %" PRIu32 " in both", got->id);
	else
		snprintf(ids, sizeof(ids), "ID %" PRIu32 " (want %" PRIu32 ")",
		    got->id, want->id);
	snprintf(rung->first, sizeof(rung->first),
	    "%s: step %" PRIu32 ": logits %016" PRIx64 " (want %016" PRIx64
	    "), %s",
	    where, step, got->logits, want->logits, ids);
}

uint32_t
ladder_compare(struct ladder_rung *rung, const char *where,
    const struct replay_step *got, const struct replay_step *want,
    uint32_t from, uint32_t to)
{
	uint32_t same = 0;

	for (uint32_t i = from; i < to; i++) {
		if (got[i].logits == want[i].logits && got[i].id == want[i].id)
			same++;
		else
			tell(rung, where, i, &got[i], &want[i]);
	}
	return same;
}

/* One way; all of its steps must be right. */
static int
run(struct ladder *l, const struct ladder_way *way, struct replay_step *got,
    struct ladder_rung *rung, struct k3_err *err)
{
	uint32_t count = l->prompt.count;

	if (!way->fits || (l->begin != NULL && !l->begin(l->host.arg, way))) {
		rung->left++;
		return 0;
	}
	if (replay_way(&l->host, &way->how, &l->prompt, got, err) != 0)
		return -1;
	rung->of++;
	rung->good +=
	    ladder_compare(rung, way->name, got, l->step, 0, count) == count;
	return 0;
}

int
ladder_climb(struct ladder *l, struct k3_err *err)
{
	struct replay_step *got = calloc(l->prompt.count, sizeof(*got));
	int ret = 0;

	if (got == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'steps': out of memory");
	for (int r = 0; r < LADDER_NRUNG && ret == 0; r++) {
		struct ladder_rung rung = { .name = names[r] };

		for (size_t i = 0; i < l->nway && ret == 0; i++)
			if ((int)l->way[i].rung == r)
				ret = run(l, &l->way[i], got, &rung, err);
		if (ret == 0 && l->done != NULL)
			l->done(l->host.arg, &rung);
	}
	free(got);
	return ret;
}
