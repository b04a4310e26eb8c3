/*
 * attend.c - attention for several queries together as for each by itself
 */
#include <stdlib.h>
#include <string.h>

#include "common/attend.h"
#include "tests/tap.h"

#define WIDTH  37
#define VALUES 29
#define MOST   700 /* positions */

static float latents[MOST * WIDTH], query[K3_ATTEND_QUERIES * WIDTH];

static void
draw(float *x, size_t n)
{
	static uint32_t seed = 1;

	for (size_t i = 0; i < n; i++) {
		seed = seed * 1664525u + 1013904223u;
		x[i] = (float)(int32_t)seed * 0x1p-30f;
	}
}

static void
attend(const struct k3_kern *kern, size_t pos, size_t tokens, size_t heads,
    const float *q, float *out)
{
	static float score[K3_ATTEND_QUERIES * K3_ATTEND];
	static float m[K3_ATTEND_QUERIES], sum[K3_ATTEND_QUERIES];
	struct k3_attend a = { latents, WIDTH, VALUES, 0.3f, pos, tokens, heads,
		q, out, score, m, sum };

	k3_attend(kern, &a);
}

static bool
same(const struct k3_kern *kern, size_t pos, size_t tokens, size_t heads)
{
	static float all[K3_ATTEND_QUERIES * VALUES], one[VALUES];
	bool equal = true;

	attend(kern, pos, tokens, heads, query, all);
	for (size_t i = 0; i < tokens * heads; i++) {
		attend(kern, pos + i / heads, 1, 1, query + i * WIDTH, one);
		equal =
		    equal && memcmp(one, all + i * VALUES, sizeof(one)) == 0;
	}
	if (!equal)
		diag("pos %zu tokens %zu heads %zu", pos, tokens, heads);
	return equal;
}

/* Later positions change nothing: not even if they are no numbers. */
static bool
causal(const struct k3_kern *kern)
{
	static float before[16 * VALUES], after[16 * VALUES];
	float last[WIDTH];
	float *end = latents + (250 + 15) * WIDTH;

	attend(kern, 250, 16, 1, query, before);
	memcpy(last, end, sizeof(last));
	memset(end, 0xff, sizeof(last));
	attend(kern, 250, 16, 1, query, after);
	memcpy(end, last, sizeof(last));
	return memcmp(before, after, 15 * VALUES * sizeof(float)) == 0;
}

static void
check(const struct k3_kern *kern, const char *name)
{
	static const size_t pos[] = { 0, 1, 200, 240, 255, 256, 257, 500, 511 };
	static const size_t shape[][2] = { { 1, 1 }, { 1, 64 }, { 2, 3 },
		{ 16, 4 }, { 17, 1 }, { 64, 1 } };
	bool equal = true;

	for (size_t i = 0; i < sizeof(pos) / sizeof(*pos); i++)
		for (size_t k = 0; k < sizeof(shape) / sizeof(*shape); k++)
			equal = same(kern, pos[i], shape[k][0], shape[k][1]) &&
				equal;
	ok(equal, "%s: queries together as one by one", name);
	ok(causal(kern), "%s: a token does not see those after it", name);
}

int
main(void)
{
	struct k3_kern kern;

	draw(latents, MOST * WIDTH);
	draw(query, K3_ATTEND_QUERIES * WIDTH);
	k3_kern_init(&kern, 0);
	check(&kern, "scalar");
	k3_kern_init(&kern, k3_cpu_detect());
	check(&kern, "best");
	return tap_done();
}
