/*
 * sidecar-file.c - the file of digests, read and written
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/regular.h"
#include "common/sidecarimpl.h"

#define HEX 16

/* Longer than the longest line. */
#define LINE (K3_NAME_MAX + 64)

/* A file in memory, and where in it we are. */
struct text {
	const char *path;
	char *data, *p, *end;
	uint64_t line; /* from 1, of the one just taken */
	struct k3_err *err;
};

static int
fail(const struct text *t, const char *what)
{
	return k3_fail(t->err, EX_DATAERR, "'%s' line %" PRIu64 ": %s", t->path,
	    t->line, what);
}

/* All of a file, if it is not longer than any of this model can be. */
static int
load(struct text *t, uint64_t most)
{
	uint64_t size;
	int64_t got;
	int fd = k3_regular_open(t->path, &size, t->err);

	if (fd < 0)
		return -1;
	t->data = NULL;
	if (size > most) {
		close(fd);
		k3_fail(t->err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes are more than the digests of this "
		    "model can take",
		    t->path, size);
		return -1;
	}
	t->data = malloc(size + 1);
	got = t->data == NULL ? 0 : k3_regular_read(fd, t->data, size, 0);
	if (t->data == NULL)
		k3_fail(t->err, EX_OSERR, "cannot read '%s': out of memory",
		    t->path);
	else if (got < 0)
		k3_fail_errno(t->err, EX_IOERR, "cannot read '%s'", t->path);
	close(fd);
	if (t->data == NULL || got < 0) {
		free(t->data);
		return -1;
	}
	t->data[got] = '\0';
	t->p = t->data;
	t->end = t->data + got;
	return 0;
}

/*
 * The next line that is whole, its newline made a NUL; NULL after the last.  A
 * line with a NUL byte becomes an empty one, which is wrong in any place.
 */
static char *
next_line(struct text *t)
{
	char *line = t->p;
	char *end = memchr(line, '\n', (size_t)(t->end - line));

	if (end == NULL)
		return NULL;
	*end = '\0';
	if (line + strlen(line) < end)
		*line = '\0';
	t->p = end + 1;
	t->line++;
	return line;
}

/* 16 digits, lower case, and nothing behind them. */
static bool
get_hex(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < HEX; i++, s++) {
		unsigned d = *s >= '0' && *s <= '9' ? (unsigned)(*s - '0')
			     : *s >= 'a' && *s <= 'f'
				 ? (unsigned)(*s - 'a') + 10
				 : 16;

		if (d == 16)
			return false;
		v = v << 4 | d;
	}
	*out = v;
	return *s == '\0';
}

/* A number below 'most' and a tab, without leading zeros. */
static bool
get_number(char **s, char end, unsigned most, unsigned *out)
{
	uint64_t v = 0;
	char *p = *s;

	while (*p >= '0' && *p <= '9' && p - *s < 9)
		v = v * 10 + (unsigned)(*p++ - '0');
	if (p == *s || *p != end || (p - *s > 1 && **s == '0') || v >= most)
		return false;
	*s = p + 1;
	*out = (unsigned)v;
	return true;
}

/* The entry of a line and its digest. */
static int
parse(const struct k3_sidecar *s, const struct text *t, char *line, uint64_t *i,
    uint64_t *digest)
{
	const struct k3_cfg *cfg = s->cfg;
	char *end = strrchr(line, '\t'), *p = line;
	struct k3_named named;
	struct k3_shape shape;
	unsigned layer, number;

	if (end == NULL || !get_hex(end + 1, digest))
		return fail(t, "not a layer, a name or number and a digest");
	if (!get_number(&p, '\t', cfg->nlayer + 1, &layer) || p > end)
		return fail(t, "the model has no such layer");
	*end = '\0';
	if (*p >= '0' && *p <= '9' && layer == cfg->nlayer) {
		if (!get_number(&p, '\0', cfg->vocab, &number))
			return fail(t, "the embedding has no such row");
		*i = k3_sidecar_row(s, number);
		return 0;
	}
	if (*p >= '0' && *p <= '9') {
		if (layer < cfg->ndense ||
		    !get_number(&p, '\0', cfg->experts, &number))
			return fail(t, "the layer has no such expert");
		*i = k3_sidecar_expert(s, layer, number);
		return 0;
	}
	if (k3_tensor_parse(p, (size_t)(end - p), &named) != 1 ||
	    (named.t < K3_NLAYER_TENSOR && named.layer != layer) ||
	    named.t == K3_T_EMBED ||
	    !k3_tensor_shape(cfg, layer, named.t, &shape))
		return fail(t, "the layer has no such tensor");
	*i = k3_sidecar_tensor(s, layer, named.t);
	return 0;
}

static const char magic[] = "#k3-digests 1 fingerprint=";

/* The first line, of which all must be ours but the fingerprint. */
static int
read_head(const struct k3_sidecar *s, struct text *t, bool *foreign)
{
	const size_t n = sizeof(magic) - 1;
	char want[128], hex[K3_HEX128], *line = next_line(t), *rest;

	if (line == NULL || strncmp(line, magic, n) != 0 ||
	    strspn(line + n, "0123456789abcdef") != K3_HEX128 - 1)
		return k3_fail(t->err, EX_DATAERR,
		    "'%s': it does not begin as digests of a model do",
		    t->path);
	snprintf(want, sizeof(want), " layers=%u experts=%u", s->cfg->nlayer,
	    s->cfg->experts);
	line += n;
	rest = line + K3_HEX128 - 1; /* which may be nothing */
	if (strcmp(rest, want) != 0)
		return k3_fail(t->err, EX_DATAERR,
		    "'%s': of another model: '%.60s' (want '%s')", t->path,
		    rest + (*rest == ' '), want + 1);
	k3_digest_hex(s->fingerprint, hex);
	*foreign = memcmp(line, hex, K3_HEX128 - 1) != 0;
	if (*foreign)
		return k3_fail(t->err, EX_DATAERR,
		    "'%s': of another model, or this one's vectors are "
		    "damaged: fingerprint %.32s (want %s)",
		    t->path, line, hex);
	return 0;
}

static int
begin(struct k3_sidecar *s, struct text *t, const char *path)
{
	char *copy = strdup(path);

	if (copy == NULL) {
		k3_fail(t->err, EX_OSERR, "cannot read '%s': out of memory",
		    path);
		return -1;
	}
	free(s->path);
	s->path = copy;
	return load(t, 256 + s->n * LINE);
}

int
k3_sidecar_load(struct k3_sidecar *s, const char *path, bool *foreign,
    struct k3_err *err)
{
	struct k3_err late;
	struct text t = { .path = path, .err = err };
	uint64_t i = 0, digest = 0, n = 0;
	int status;
	char *line;

	*foreign = false;
	if (begin(s, &t, path) != 0)
		return -1;
	status = read_head(s, &t, foreign);
	t.err = &late;
	if (status != 0 && !*foreign)
		goto out;
	while ((line = next_line(&t)) != NULL) {
		if (parse(s, &t, line, &i, &digest) != 0)
			goto bad;
		if (n == s->n || i != n++) {
			fail(&t, "it stands in the wrong place");
			goto bad;
		}
		k3_sidecar_set(s, i, digest);
	}
	if (n == s->n && t.p == t.end)
		goto out;
	k3_fail(&late, EX_DATAERR,
	    "'%s': it ends after %" PRIu64 " of %" PRIu64 " digests", path, n,
	    s->n);
bad:
	*foreign = false;
	*err = late;
	status = -1;
out:
	free(t.data);
	return status;
}

int
k3_sidecar_resume(struct k3_sidecar *s, const char *path, uint64_t *used,
    struct k3_err *err)
{
	struct text t = { .path = path, .err = err };
	uint64_t i = 0, digest = 0;
	bool foreign;
	int status;
	char *line;

	if (begin(s, &t, path) != 0)
		return -1;
	status = read_head(s, &t, &foreign);
	while (status == 0 && (line = next_line(&t)) != NULL) {
		status = parse(s, &t, line, &i, &digest);
		if (status == 0 && k3_sidecar_has(s, i))
			status = fail(&t, "it is there twice");
		if (status == 0)
			k3_sidecar_set(s, i, digest);
	}
	*used = (uint64_t)(t.p - t.data);
	if (status != 0)
		memset(s->state, 0, s->n * sizeof(*s->state));
	free(t.data);
	return status;
}

int
k3_sidecar_put_head(const struct k3_sidecar *s, FILE *fp)
{
	char hex[K3_HEX128];

	k3_digest_hex(s->fingerprint, hex);
	return fprintf(fp, "%s%s layers=%u experts=%u\n", magic, hex,
		   s->cfg->nlayer, s->cfg->experts) < 0
		   ? EOF
		   : 0;
}

int
k3_sidecar_put_line(const struct k3_sidecar *s, uint64_t i, FILE *fp)
{
	struct k3_sidecar_entry e = k3_sidecar_at(s, i);
	char name[K3_NAME_MAX];

	if (e.t < K3_NTENSOR && e.t != K3_T_EMBED)
		k3_tensor_name(e.layer, (enum k3_tensor)e.t, name);
	else
		snprintf(name, sizeof(name), "%u", e.number);
	return fprintf(fp, "%u\t%s\t%016" PRIx64 "\n", e.layer, name,
		   s->digest[i]) < 0
		   ? EOF
		   : 0;
}

int
k3_sidecar_put(const struct k3_sidecar *s, FILE *fp)
{
	int status = k3_sidecar_put_head(s, fp);

	for (uint64_t i = 0; i < s->n && status == 0; i++)
		status = k3_sidecar_put_line(s, i, fp);
	return status;
}
