/*
 * fixture.h - a model opened for a test
 */
#ifndef K3_TESTS_FIXTURE_H
#define K3_TESTS_FIXTURE_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/model.h"

struct fixture {
	struct k3_cfg cfg;
	struct k3_st *st;
	struct k3_plan plan;
	struct k3_model *model;
	struct k3_state state;
};

/* Open DIR with memory for all of it; 'f' is all zero.  fixture_close() after.
 */
static inline bool
fixture_open(struct fixture *f, const char *dir, uint32_t context,
    uint32_t chunk, unsigned threads, unsigned cpu, struct k3_err *err)
{
	struct k3_model_ask how = { .cpu = cpu };
	struct k3_plan_ask ask = { .trunk = UINT64_MAX,
		.cache = UINT64_MAX,
		.ram = UINT64_MAX,
		.context = context,
		.chunk = chunk,
		.sequences = 1,
		.threads = threads };

	return k3_cfg_load(&f->cfg, dir, err) == 0 &&
	       (f->st = k3_st_open(dir, &f->cfg, err)) != NULL &&
	       k3_plan_make(&f->plan, &f->cfg, f->st, &ask, err) == 0 &&
	       (f->model = k3_model_open(f->st, &f->plan, &how, err)) != NULL &&
	       k3_state_init(&f->state, &f->cfg, context, err) == 0;
}

static inline void
fixture_close(struct fixture *f)
{
	k3_model_close(f->model);
	k3_st_close(f->st);
	k3_state_fini(&f->state);
	memset(f, 0, sizeof(*f));
}

#endif
