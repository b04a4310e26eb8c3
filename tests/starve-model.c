/*
 * starve-model.c - a model when memory runs out: opened, packed, run, reported
 */
#include <sys/stat.h>
#include <unistd.h>

#include "common/hidden.h"
#include "common/report.h"
#include "common/sidecar.h"
#include "tests/starve.h"
#include "tests/stream.h"

static char toy[512], packed[] = "/tmp/k3-starve-XXXXXX", dumped[64],
		      written[64];
static struct stream ran = { .dir = toy };

static int
run(struct stream *s, uint64_t *sum, struct k3_err *err)
{
	int bad = stream_run(s, err);

	*sum = s->digest;
	stream_close(s);
	return bad;
}

static int
resident(uint64_t *sum, struct k3_err *err)
{
	struct stream s = { .dir = toy, .more = UINT64_MAX };

	return run(&s, sum, err);
}

static int
streamed(uint64_t *sum, struct k3_err *err)
{
	struct stream s = { .dir = toy, .lookahead = 2 };

	return run(&s, sum, err);
}

static int
from_packed(uint64_t *sum, struct k3_err *err)
{
	struct stream s = { .dir = toy, .packed = packed };

	return run(&s, sum, err);
}

/* A report of a pass of a model that has run. */
static int
reported(uint64_t *sum, struct k3_err *err)
{
	static const uint32_t id[4] = { 1, 2, 3, 4 };
	const struct k3_report_pass pass = { 'p', .ids = id, .n = 4 };
	struct k3_report r = { .npass = 0 };
	int bad = k3_report_open(&r, "/dev/null",
	    k3_json_pack("{s:o,s:o}", "plan", k3_report_plan(&ran.f.plan),
		"model", k3_report_model(&ran.f.cfg, ran.f.st)),
	    err);

	*sum = 0;
	if (bad != 0)
		return bad;
	if (k3_report_pass(&r, &pass, ran.f.model, ran.f.cfg.vocab, err) == 0)
		return k3_report_close(&r, err);
	k3_report_abort(&r);
	return -1;
}

static int
file(uint64_t *sum, struct k3_err *err)
{
	struct k3_file f;

	*sum = 0;
	if (k3_file_create(&f, written, K3_FILE_PRIVATE, err) != 0)
		return -1;
	return k3_file_commit(&f, err);
}

/* Hidden states of all layers, a layer a file. */
static int
dump(uint64_t *sum, struct k3_err *err)
{
	static const float zero[5 * 256];
	const void *rows = zero;
	struct k3_layer_tensor t = { .name = "x",
		.grows = true,
		.ndim = 2,
		.dim = { 0, ran.f.cfg.hidden } };
	struct k3_layer l = { .kind = K3_LAYER_HIDDEN,
		.ntensor = 1,
		.tensor = &t,
		.block_rows = 3 };
	char name[K3_PACK_NAME], path[128];
	struct k3_layer_writer *w;
	int bad;
	FILE *fp;

	if (ran.f.cfg.hidden > 256 ||
	    k3_fingerprint(&ran.f.cfg, ran.f.st, l.fingerprint, err) != 0)
		return -1;
	for (*sum = 0; l.layer < ran.f.cfg.nlayer; l.layer++) {
		k3_pack_name(&ran.f.cfg, l.layer, name);
		snprintf(path, sizeof(path), "%s/%s", dumped, name);
		fp = starve_fopen(path, "w");
		w = k3_layer_begin(&l, fp, path, err);
		bad = w == NULL ? -1 : k3_layer_put_rows(w, &rows, 5, err);
		if (bad == 0)
			bad = k3_layer_end(w, err);
		k3_layer_writer_close(w);
		fclose(fp);
		if (bad != 0)
			return bad;
	}
	return 0;
}

/* Routed again, with a guess at the next layer. */
static int
hidden(uint64_t *sum, struct k3_err *err)
{
	struct k3_hidden_ask ask = { dumped, k3_cpu_best(), 2, 3 };
	struct k3_hidden *h = k3_hidden_open(&ran.f.cfg, ran.f.st, &ask, err);
	struct k3_hidden_rows r;
	int got = -1;

	while (h != NULL && (got = k3_hidden_next(h, &r, err)) == 1)
		for (size_t i = 0; i < r.n * 3; i++)
			*sum = *sum * 31 + r.pick[i];
	k3_hidden_close(h);
	return got;
}

static int
packs(uint64_t *sum, struct k3_err *err)
{
	*sum = 0;
	return stream_pack(toy, packed, err);
}

/* All digests, in the order in which they are read. */
static int
sidecar(uint64_t *sum, struct k3_err *err)
{
	struct fixture f = { .st = NULL };
	uint8_t print[K3_DIGEST128];
	struct k3_sidecar *s = NULL;
	uint32_t *order;
	int bad = -1;

	if (k3_cfg_load(&f.cfg, toy, err) == 0 &&
	    (f.st = k3_st_open(toy, &f.cfg, err)) != NULL &&
	    k3_fingerprint(&f.cfg, f.st, print, err) == 0 &&
	    (s = k3_sidecar_open(&f.cfg, print, err)) != NULL) {
		order = calloc(k3_sidecar_count(s), sizeof(*order));
		bad = order == NULL ? k3_fail(err, EX_OSERR, "the test's own")
				    : k3_sidecar_by_place(s, f.st, order, err);
		for (uint64_t i = 0; i < k3_sidecar_count(s) && bad == 0; i++)
			*sum = *sum * 31 + order[i];
		free(order);
	}
	k3_sidecar_close(s);
	k3_st_close(f.st);
	return bad;
}

static void
on_wrong(void *arg, const struct k3_err *wrong)
{
	*(struct k3_err *)arg = *wrong;
}

static void
on_unneeded(void *arg, const char *path, const char *tensor)
{
	(void)arg;
	(void)path;
	(void)tensor;
}

/* A folder whose files nobody has listed, surveyed; and a presumed one. */
static int
survey(uint64_t *sum, struct k3_err *err)
{
	struct k3_err wrong = { .code = 0 };
	const struct k3_st_watch watch = { &wrong, on_wrong, on_unneeded };
	struct k3_st *st = NULL, *presumed = NULL;
	struct k3_cfg cfg;
	int bad = -1;

	if (k3_cfg_load(&cfg, toy, err) == 0 &&
	    (st = k3_st_survey(toy, &cfg, &watch, err)) != NULL &&
	    wrong.code == 0 && (presumed = k3_st_presume(&cfg, err)) != NULL) {
		*sum = k3_st_found(st) * 31 + k3_st_bytes(presumed);
		bad = 0;
	} else if (wrong.code != 0) {
		*err = wrong;
	}
	k3_st_close(st);
	k3_st_close(presumed);
	return bad;
}

int
main(void)
{
	static const struct starve_work works[] = {
		{ "a model all in memory", resident },
		{ "a model that streams", streamed },
		{ "a dump", dump },
		{ "hidden states", hidden },
		{ "packing", packs },
		{ "a packed model", from_packed },
		{ "a report", reported },
		{ "a file", file },
		{ "a sidecar", sidecar },
		{ "a survey", survey },
	};
	struct k3_err err;
	char cmd[64];

	if (getenv("K3_TOYS") == NULL || mkdtemp(packed) == NULL) {
		skip("a model without memory", "K3_TOYS is not set");
		return tap_done();
	}
	snprintf(toy, sizeof(toy), "%s/tiny", getenv("K3_TOYS"));
	snprintf(written, sizeof(written), "%s/file", packed);
	snprintf(dumped, sizeof(dumped), "%s/dump", packed);
	mkdir(dumped, 0777);
	ok(stream_run(&ran, &err) == 0, "a model runs");
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		starve(&works[i], 2);
	stream_close(&ran);
	snprintf(cmd, sizeof(cmd), "rm -rf %s", packed);
	ok(system(cmd) == 0, "nothing stays");
	return tap_done();
}
