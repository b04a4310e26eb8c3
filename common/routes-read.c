/*
 * routes-read.c - a stream of routes, text or pairs, is opened and read
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/routes-impl.h"

int
k3_routes_fill(struct k3_routes *r)
{
	size_t got;

	if (r->over)
		return -1;
	errno = 0;
	got = fread(r->buf, 1, sizeof(r->buf), r->fp);
	if (got < sizeof(r->buf)) {
		r->over = true;
		if (ferror(r->fp))
			r->failed = errno != 0 ? errno : EIO;
	}
	r->off += got;
	r->p = r->buf;
	r->end = r->buf + got;
	return got > 0 ? *r->p : -1;
}

int
k3_routes_fail(struct k3_routes *r, struct k3_err *err, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (r->failed != 0) {
		errno = r->failed;
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    r->name);
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (r->pairs)
		return k3_fail(err, EX_DATAERR, "'%s' %s", r->name, text);
	return k3_fail(err, EX_DATAERR, "'%s' line %" PRIu64 ": %s", r->name,
	    r->line, text);
}

int
k3_routes_next(struct k3_routes *r, struct k3_route *route, struct k3_err *err)
{
	int got = r->pairs ? k3_routes_pairs_next(r, err)
			   : k3_routes_text_next(r, err);

	if (got == 1)
		*route = r->last;
	return got;
}

/* Text has no NUL byte, and pairs of small numbers have some at once. */
static bool
is_pairs(const struct k3_routes *r)
{
	size_t n = (size_t)(r->end - r->p);

	return n > 0 && memchr(r->p, '\0', n < 8 ? n : 8) != NULL;
}

struct k3_routes *
k3_routes_open(FILE *fp, const char *name, struct k3_err *err)
{
	struct k3_routes *r = calloc(1, sizeof(*r));

	if (r == NULL || (r->name = strdup(name)) == NULL)
		goto no_memory;
	r->fp = fp;
	k3_routes_fill(r);
	r->pairs = is_pairs(r);
	if (r->pairs) {
		r->shape = (struct k3_routes_shape){ K3_PAIRS_LAYERS,
			K3_PAIRS_EXPERTS, K3_PAIRS_TOPK };
		r->last.kind = 'p';
		r->last.n = K3_PAIRS_TOPK;
	} else if (k3_routes_text_head(r, err) != 0) {
		goto fail;
	}
	r->expert = calloc(r->shape.topk, sizeof(*r->expert));
	r->weight = calloc(r->shape.topk, sizeof(*r->weight));
	if (r->expert == NULL || r->weight == NULL)
		goto no_memory;
	r->last.expert = r->expert;
	return r;
no_memory:
	k3_fail(err, EX_OSERR, "cannot allocate memory to read '%s'", name);
fail:
	k3_routes_close(r);
	return NULL;
}

const struct k3_routes_shape *
k3_routes_shape(const struct k3_routes *r)
{
	return &r->shape;
}

uint64_t
k3_routes_line(const struct k3_routes *r)
{
	return r->line;
}

uint64_t
k3_routes_bytes(const struct k3_routes *r)
{
	return r->off - (uint64_t)(r->end - r->p);
}

const uint32_t *
k3_routes_pairs(const struct k3_routes *r)
{
	return r->pairs ? r->asked : NULL;
}

void
k3_routes_close(struct k3_routes *r)
{
	if (r == NULL)
		return;
	free(r->name);
	free(r->expert);
	free(r->weight);
	free(r);
}
