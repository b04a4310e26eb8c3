/*
 * routes.c - any bytes as a stream of routes, written and read again
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/routes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(const struct k3_routes_shape *s, const struct k3_route *r,
    const struct k3_route *last)
{
	if (r->layer >= s->layers || r->n != s->topk ||
	    (r->kind != 'p' && r->kind != 'd') || r->pass < last->pass ||
	    (r->pass == last->pass && r->layer < last->layer))
		abort();
	for (uint32_t i = 0; i < r->n; i++)
		if (r->expert[i] >= s->experts ||
		    (i > 0 && r->expert[i] <= r->expert[i - 1]))
			abort();
}

/* Copy the stream to 'out'; returns how it ended. */
static int
copy(const void *data, size_t size, FILE *out)
{
	union {
		const void *c;
		void *p;
	} u = { data };
	static char none[1];
	FILE *fp =
	    size == 0 ? fmemopen(none, 1, "r") : fmemopen(u.p, size, "r");
	struct k3_route r, last = { .pass = 0 };
	struct k3_routes *in;
	struct k3_cfg cfg;
	struct k3_err err;
	int got = -1;

	if (fp == NULL)
		abort();
	in = k3_routes_open(fp, "fuzz", &err);
	if (in != NULL) {
		const struct k3_routes_shape *s = k3_routes_shape(in);

		cfg.nlayer = s->layers;
		cfg.experts = s->experts;
		cfg.topk = s->topk;
		k3_routes_head(out, &cfg, "out", &err);
		while ((got = k3_routes_next(in, &r, &err)) == 1) {
			check(s, &r, &last);
			last = r;
			if (k3_routes_put(out, &r, "out", &err) != 0)
				abort();
		}
	}
	k3_routes_close(in);
	fclose(fp);
	return got;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text, *again;
	size_t len, len2;
	FILE *fp = open_memstream(&text, &len);
	int end = copy(data, size, fp);

	fclose(fp);
	if (end == 0) {
		fp = open_memstream(&again, &len2);
		if (copy(text, len, fp) != 0)
			abort();
		fclose(fp);
		if (len != len2 || memcmp(text, again, len) != 0)
			abort();
		free(again);
	}
	free(text);
	return 0;
}
