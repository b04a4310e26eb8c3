/*
 * decode-files.c - what k3-decode writes beside standard output
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cpu.h"
#include "common/pack.h"
#include "common/routes.h"
#include "tools/decode.h"
#include "tools/tool-json.h"
#include "tools/tool.h"

static int
put_routes(void *arg, unsigned layer, const struct k3_span *span, size_t nspan,
    const uint32_t *pick, const float *weight, struct k3_err *err)
{
	struct decode *d = arg;
	struct k3_route first = { .pass = d->pass,
		.sequence = d->sequence,
		.position = span->state->pos,
		.kind = d->kind,
		.layer = layer,
		.n = d->cfg.topk,
		.expert = pick,
		.weight = weight };

	(void)nspan;
	return k3_routes_put_rows(d->route.fp, &first, span->n, d->o->route,
	    err);
}

/* Of the prompt of the first sequence. */
static int
put_hidden(void *arg, unsigned layer, const float *x, const float *p,
    size_t rows, struct k3_err *err)
{
	struct decode *d = arg;
	const void *row[2] = { x, p };

	if (d->kind != 'p' || d->sequence != 0)
		return 0;
	return k3_layer_put_rows(d->hidden.writer[layer], row, rows, err);
}

static int
open_hidden_layer(struct decode *d, unsigned layer,
    const uint8_t print[K3_DIGEST128], struct k3_err *err)
{
	struct k3_layer_tensor tensor[2];
	struct k3_layer l = { .kind = K3_LAYER_HIDDEN,
		.layer = layer,
		.ntensor = 2,
		.tensor = tensor,
		.block_rows = DECODE_HIDDEN_ROWS };
	struct k3_file *file = &d->hidden.file[layer];
	char name[K3_PACK_NAME], path[4096];

	memset(tensor, 0, sizeof(tensor));
	for (int i = 0; i < 2; i++) {
		tensor[i].name[0] = "xp"[i];
		tensor[i].dtype = K3_F32;
		tensor[i].grows = true;
		tensor[i].ndim = 2;
		tensor[i].dim[1] = d->cfg.hidden;
	}
	memcpy(l.fingerprint, print, K3_DIGEST128);
	k3_pack_name(&d->cfg, layer, name);
	if ((size_t)snprintf(path, sizeof(path), "%s/%s", d->o->hidden, name) >=
	    sizeof(path))
		return k3_fail(err, EX_CANTCREAT,
		    "cannot create '%.100s...': the name is too long",
		    d->o->hidden);
	if (k3_file_create(file, path, K3_FILE_PRIVATE, err) != 0)
		return -1;
	d->hidden.n = layer + 1;
	d->hidden.writer[layer] = k3_layer_begin(&l, file->fp, file->path, err);
	return d->hidden.writer[layer] == NULL ? -1 : 0;
}

static int
open_hidden(struct decode *d, struct k3_err *err)
{
	uint8_t print[K3_DIGEST128];
	unsigned n = d->cfg.nlayer;

	if (mkdir(d->o->hidden, 0700) != 0 && errno != EEXIST)
		return k3_fail_errno(err, EX_CANTCREAT, "cannot create '%s'",
		    d->o->hidden);
	d->hidden.file = calloc(n, sizeof(*d->hidden.file));
	d->hidden.writer = calloc(n, sizeof(*d->hidden.writer));
	if (d->hidden.file == NULL || d->hidden.writer == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'hidden': out of memory");
	if (k3_fingerprint(&d->cfg, d->st, print, err) != 0)
		return -1;
	for (unsigned i = 0; i < n; i++)
		if (open_hidden_layer(d, i, print, err) != 0)
			return -1;
	return 0;
}

static int
open_report(struct decode *d, struct k3_err *err)
{
	struct k3_json *arg = k3_json_pack("[]");
	uint8_t print[K3_DIGEST128];
	char hex[K3_HEX128];

	if (k3_fingerprint(&d->cfg, d->st, print, err) != 0) {
		k3_json_free(arg);
		return -1;
	}
	k3_digest_hex(print, hex);
	for (int i = 1; i < d->o->argc; i++)
		arg = k3_json_push(arg, tool_json_text(d->o->argv[i]));
	return k3_report_open(&d->report, d->o->report,
	    k3_json_pack("{s:i,s:s,s:s,s:o,s:s,s:i,s:s,s:s,s:o,s:o}",
		"k3-report", 1, "tool", "k3-decode", "version", K3_VERSION,
		"arguments", arg, "cpu", k3_cpu_name(d->o->engine.level),
		"threads", (int)d->o->engine.threads, "io",
		k3_io_name(k3_model_io(d->model)), "fingerprint", hex, "model",
		k3_report_model(&d->cfg, d->st), "plan",
		k3_report_plan(&d->plan)),
	    err);
}

int
decode_open_files(struct decode *d, struct k3_err *err)
{
	const struct decode_options *o = d->o;
	struct k3_watch watch = { .arg = d };

	if (o->logits != NULL &&
	    k3_file_create(&d->logits, o->logits, K3_FILE_PRIVATE, err) != 0)
		return -1;
	if (o->route != NULL) {
		if (k3_file_create(&d->route, o->route, K3_FILE_PRIVATE, err) !=
			0 ||
		    k3_routes_head(d->route.fp, &d->cfg, o->route, err) != 0)
			return -1;
		watch.routes = put_routes;
	}
	if (o->hidden != NULL) {
		if (open_hidden(d, err) != 0)
			return -1;
		watch.hidden = put_hidden;
	}
	if (o->report != NULL && open_report(d, err) != 0)
		return -1;
	k3_model_watch(d->model, &watch);
	return 0;
}

/*
 * All that were opened, which none is if a signal came before the first
 * prompt.  One that fails takes no other with it; the first is told.
 */
int
decode_commit_files(struct decode *d, struct k3_err *err)
{
	struct decode_hidden *h = &d->hidden;
	struct k3_err each;
	int bad = 0;

	if (d->logits.fp != NULL && k3_file_commit(&d->logits, &each) != 0 &&
	    bad++ == 0)
		*err = each;
	if (d->route.fp != NULL && k3_file_commit(&d->route, &each) != 0 &&
	    bad++ == 0)
		*err = each;
	for (unsigned i = 0; i < h->n && h->whole; i++)
		if ((k3_layer_end(h->writer[i], &each) != 0 ||
			k3_file_commit(&h->file[i], &each) != 0) &&
		    bad++ == 0)
			*err = each;
	if (d->report.file.fp != NULL &&
	    k3_report_close(&d->report, &each) != 0 && bad++ == 0)
		*err = each;
	return bad > 0 ? -1 : 0;
}

void
decode_abort_files(struct decode *d)
{
	k3_file_abort(&d->logits);
	k3_file_abort(&d->route);
	k3_report_abort(&d->report);
	for (unsigned i = 0; i < d->hidden.n; i++) {
		k3_layer_writer_close(d->hidden.writer[i]);
		k3_file_abort(&d->hidden.file[i]);
	}
	free(d->hidden.writer);
	free(d->hidden.file);
	memset(&d->hidden, 0, sizeof(d->hidden));
}

int
decode_put_logits(struct decode *d, struct k3_err *err)
{
	if (d->logits.fp == NULL || fwrite(d->row, sizeof(float), d->cfg.vocab,
					d->logits.fp) == d->cfg.vocab)
		return 0;
	return k3_fail_errno(err, EX_IOERR, "cannot write '%s'", d->o->logits);
}
