/*
 * route-hidden.c - the routes of dumped hidden states
 */
#include <stdio.h>

#include "common/hidden.h"
#include "common/routes.h"
#include "tools/route.h"
#include "tools/tool-signal.h"

/* All rows have been one prompt: one pass, as far as anybody can tell. */
static int
put(const struct k3_cfg *cfg, const struct k3_hidden_rows *rows,
    struct k3_err *err)
{
	struct k3_route first = { .position = rows->first,
		.kind = 'p',
		.layer = rows->layer,
		.n = cfg->topk,
		.expert = rows->pick,
		.weight = rows->weight };

	if (rows->n == 0)
		return 0;
	if (k3_routes_put_rows(stdout, &first, rows->n, "<stdout>", err) != 0)
		return -1;
	return route_flush(err);
}

int
route_hidden(struct route *r, struct k3_err *err)
{
	/* As the engine does, which guesses all experts at most. */
	uint32_t lookahead =
	    r->lookahead < r->cfg.experts ? r->lookahead : r->cfg.experts;
	struct k3_hidden_ask ask = { .dir = r->hidden,
		.cpu = r->engine.level,
		.threads = r->engine.threads,
		.lookahead = lookahead };
	struct k3_hidden *h = k3_hidden_open(&r->cfg, r->st, &ask, err);
	struct tool_progress *p = &r->progress;
	static struct k3_cfg cfg;
	struct k3_hidden_rows rows;
	int got;

	if (h == NULL)
		return -1;
	/* Until here a signal ends it at once: it would have had to wait. */
	tool_signal_init();
	/* A guess is a stream of its own, with as many experts a token. */
	cfg = r->cfg;
	if (lookahead > 0)
		cfg.topk = lookahead;
	tool_progress_init(p, TOOL_BYTES, 2 * k3_hidden_bytes(h), r->quiet,
	    r->engine.verbose);
	p->what = "hidden states";
	got = k3_routes_head(stdout, &cfg, "<stdout>", err);
	while (got == 0 && (got = k3_hidden_next(h, &rows, err)) == 1) {
		tool_progress_clear(p);
		got = put(&cfg, &rows, err);
		tool_progress_add(p, rows.bytes);
		if (got == 0 && tool_signal_stop())
			got = k3_fail(err, EX_OK, "stopped");
	}
	k3_hidden_close(h);
	return got;
}
