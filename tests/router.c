/*
 * router.c - picks and weights of one token, and the choice of the next ID
 */
#include <string.h>

#include "common/router.h"
#include "common/sample.h"
#include "tests/tap.h"

#define EXPERTS 6
#define TOPK    3

static uint32_t pick[TOPK];
static float weight[TOPK];

/* Do these scores and biases pick a, b, c? */
static bool
picks(const float *s, const float *bias, float scaling, uint32_t a, uint32_t b,
    uint32_t c)
{
	static struct k3_cfg cfg = { .experts = EXPERTS, .topk = TOPK };
	uint32_t taken[EXPERTS];

	cfg.scaling = (double)scaling;
	k3_pick(&cfg, s, bias, taken, pick, weight);
	if (pick[0] == a && pick[1] == b && pick[2] == c)
		return true;
	diag("got %u %u %u", (unsigned)pick[0], (unsigned)pick[1],
	    (unsigned)pick[2]);
	return false;
}

int
main(void)
{
	static const float none[EXPERTS] = { 0 };
	static const float s[EXPERTS] = { 0.5f, 0.25f, 0.75f, 0.125f, 0.0625f,
		0.625f };
	static const float bias[EXPERTS] = { 0, 0, 0, 0, 1, 0 };
	static const float same[EXPERTS] = { 0.5f, 0.5f, 0.25f, 0.5f, 0.5f,
		0.5f };
	static const float tie[4] = { 1, 3, 3, 2 };
	float sum = 0.75f + 0.0625f + 0.625f;

	ok(picks(s, none, 1, 0, 2, 5), "the largest, in rising number");
	ok(picks(same, none, 1, 0, 1, 3), "of equal ones the lower");
	ok(picks(s, bias, 1, 2, 4, 5), "a bias changes the picks");
	ok(weight[0] == 0.75f / sum && weight[1] == 0.0625f / sum &&
		weight[2] == 0.625f / sum,
	    "and not the weights");
	ok(picks(s, bias, 1.75f, 2, 4, 5) && weight[1] == 0.0625f / sum * 1.75f,
	    "which are scaled");
	ok(picks(none, none, 1, 0, 1, 2) && weight[0] == 0,
	    "scores of zero do not divide by zero");
	ok(k3_argmax(tie, 4) == 1, "a tie of logits goes to the lower ID");
	return tap_done();
}
