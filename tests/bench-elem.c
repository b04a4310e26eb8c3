/*
 * bench-elem.c - the elementwise functions, on one thread, in cache
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "tests/bench.h"

/* KDA's width; so many rows make a sample, 786,432 elements of 3 MB. */
#define N    12288
#define ROWS 64
#define ALL  ((size_t)N * ROWS)

enum op {
	SILU,
	SIGMOID,
	SITU,
	GATE,
	DECAY,
	AXPY,
	CONV,
	NOP
};

static const char *const name[NOP] = { "silu", "sigmoid", "situ", "gate",
	"decay", "axpy", "conv" };

struct entrant {
	const struct bench_level *level;
	enum op op;
	float *y;           /* [ROWS][N], in and out */
	const float *x, *w; /* [ROWS][N]; [N][K3_TAPS] */
};

static void
apply(const struct k3_kern *kern, enum op op, float *y, const float *x,
    const float *w)
{
	const float *in[K3_TAPS] = { x, x, x, y };

	switch (op) {
	case SILU:
		kern->silu(y, N);
		break;
	case SIGMOID:
		kern->sigmoid(y, N);
		break;
	case SITU:
		kern->situ(y, x, N, 4.0f, 25.0f);
		break;
	case GATE:
		kern->gate(y, x, N);
		break;
	case DECAY:
		kern->decay(y, x, N, 1.5f, -5.0f);
		break;
	case AXPY:
		kern->axpy(y, x, N, 0.3f);
		break;
	default:
		kern->conv(y, in, w, N);
		break;
	}
}

static void
call(void *arg)
{
	const struct entrant *e = arg;

	for (size_t r = 0; r < ROWS; r++)
		apply(&e->level->kern, e->op, e->y + r * N, e->x + r * N, e->w);
}

/* Values of both signs up to 8: past the caps of tanh and sigmoid alike. */
static void
before(void *arg)
{
	const struct entrant *e = arg;

	for (size_t i = 0; i < ALL; i++)
		e->y[i] = 8 * e->x[ALL - 1 - i];
}

static k3_silu_fn *
pointer(const struct k3_kern *kern, enum op op)
{
	const void *const slot[NOP] = { &kern->silu, &kern->sigmoid,
		&kern->situ, &kern->gate, &kern->decay, &kern->axpy,
		&kern->conv };
	k3_silu_fn *fn;

	memcpy(&fn, slot[op], sizeof(fn));
	return fn;
}

static void
contest(struct bench *b, struct entrant proto)
{
	struct bench_turn turn[BENCH_LEVELS] = { 0 };
	struct bench_level level[BENCH_LEVELS];
	struct entrant e[BENCH_LEVELS];
	unsigned nlevel = bench_levels(b, level), n = 0;
	float *want = malloc(ALL * sizeof(*want));

	if (want == NULL)
		err(EX_OSERR, "cannot allocate a result");
	for (unsigned i = 0; i < nlevel; i++) {
		if (i > 0 && pointer(&level[i].kern, proto.op) ==
				 pointer(&level[i - 1].kern, proto.op))
			continue;
		e[n] = proto;
		e[n].level = &level[i];
		turn[n].fn = call;
		turn[n].before = before;
		turn[n].arg = &e[n];
		before(&e[n]);
		call(&e[n]);
		if (i == 0)
			memcpy(want, e[n].y, ALL * sizeof(*want));
		if (memcmp(want, e[n].y, ALL * sizeof(*want)) != 0)
			errx(1, "%s: %s differs from the definition",
			    name[proto.op], level[i].name);
		n++;
	}
	bench_turns(b, turn, n);
	for (unsigned i = 0; i < n; i++)
		printf("%-10s %-7s %8.3f %8.1f %5.0f%%\n", name[proto.op],
		    e[i].level->name, turn[i].median / ALL * 1e9,
		    turn[0].median / turn[i].median, 100 * turn[i].spread);
	free(want);
}

void
bench_elem(struct bench *b)
{
	float *x = malloc((2 * ALL + K3_TAPS * N) * sizeof(*x));
	struct entrant e = { .x = x, .y = x + ALL, .w = x + 2 * ALL };
	bool headed = false;

	if (x == NULL)
		err(EX_OSERR, "cannot allocate activations");
	bench_random(x, 2 * ALL + K3_TAPS * N, 5);
	for (int op = 0; op < NOP; op++) {
		if (!bench_wants(b, "kernels") && !bench_wants(b, name[op]))
			continue;
		if (!headed)
			printf("ELEMENTWISE  one thread, %d elements a call\n"
			       "%-10s %-7s %8s %8s %6s\n",
			    N, "kernel", "level", "ns each", "x scalar",
			    "spread");
		headed = true;
		e.op = (enum op)op;
		contest(b, e);
	}
	if (headed)
		putchar('\n');
	free(x);
}
