/*
 * starve-read.c - readers when memory runs out
 */
#include <fcntl.h>
#include <unistd.h>

#include "common/ids.h"
#include "common/layer.h"
#include "common/run.h"
#include "common/sidecar.h"
#include "common/simcache.h"
#include "common/speed.h"
#include "common/sums.h"
#include "common/tok.h"
#include "common/uses.h"
#include "tests/shards.h"
#include "tests/starve.h"

#define CORPUS "tests/fuzz/corpus/"
#define GOOD   "tests/golden/good/"

static int
put(void *arg, const uint32_t *id, size_t n, struct k3_err *err)
{
	return k3_buf_put(arg, id, n * sizeof(*id), err);
}

static int
tokenizer(uint64_t *sum, struct k3_err *err)
{
	static const char text[] = "Some words, and <|im_end|> 12345 \xff.";
	struct k3_encode enc;
	struct k3_buf out = { 0 };
	struct k3_tok tok;
	int bad = k3_tok_open(&tok, GOOD "tok-mini", err);

	if (bad != 0)
		return bad;
	k3_encode_init(&enc, &tok, true, put, &out);
	for (int i = 0; i < 40 && bad == 0; i++)
		bad = k3_encode_feed(&enc, text, sizeof(text) - 1, err);
	if (bad == 0)
		bad = k3_encode_end(&enc, err);
	for (size_t i = 0; i < out.len; i++)
		*sum = *sum * 31 + (unsigned char)out.data[i];
	k3_encode_fini(&enc);
	k3_buf_fini(&out);
	k3_tok_close(&tok);
	return bad;
}

/* Routes, counted, and replayed against caches of 1 and 3 experts. */
static int
routes_of(const char *path, enum k3_sim_policy policy, uint64_t *sum,
    struct k3_err *err)
{
	static const uint32_t slots[] = { 1, 3 };
	struct k3_simcache_ask ask = { .policy = policy,
		.slots = slots,
		.nsize = 2,
		.dir = "/tmp" };
	struct k3_cache_counts counts[2] = { { .hits = 0 } };
	FILE *fp = starve_fopen(path, "r");
	struct k3_routes *in = k3_routes_open(fp, path, err);
	struct k3_simcache *sim = NULL;
	struct k3_uses_hot *hot = NULL;
	struct k3_uses u = { .lines = 0 };
	struct k3_route r;
	size_t n = 4;
	int bad = -1, got = -1;

	if (in != NULL) {
		ask.layers = k3_routes_shape(in)->layers;
		ask.experts = k3_routes_shape(in)->experts;
		ask.topk = k3_routes_shape(in)->topk;
		bad = k3_uses_init(&u, k3_routes_shape(in), err);
		if (bad == 0 && (sim = k3_simcache_open(&ask, err)) == NULL)
			bad = -1;
	}
	while (bad == 0 && (got = k3_routes_next(in, &r, err)) == 1) {
		bad = k3_uses_add(&u, &r, NULL, err);
		if (bad == 0)
			bad =
			    k3_simcache_visit(sim, r.layer, r.expert, r.n, err);
	}
	if (bad == 0 && (bad = got == 0 ? k3_uses_end(&u, err) : -1) == 0 &&
	    (bad = k3_simcache_finish(sim, counts, err)) == 0)
		bad = k3_uses_hottest(&u, &u.decode, &n, &hot, err);
	*sum = counts[0].hits + 31 * counts[1].hits + 961 * n;
	free(hot);
	k3_simcache_close(sim);
	k3_uses_fini(&u);
	k3_routes_close(in);
	fclose(fp);
	return bad;
}

static int
routes(uint64_t *sum, struct k3_err *err)
{
	return routes_of(GOOD "routes-whole.route", K3_SIM_BELADY, sum, err);
}

static int
pairs(uint64_t *sum, struct k3_err *err)
{
	return routes_of(GOOD "routes-pairs.bin", K3_SIM_OWN, sum, err);
}

static int
ids(uint64_t *sum, struct k3_err *err)
{
	static const char text[] = "1 2 3 4 5 6 7 8 9 10\n11\n";
	struct k3_ids_seq seq = { .n = 0 };
	struct k3_ids in;
	int got;

	k3_ids_init_mem(&in, text, sizeof(text) - 1, "ids", 100);
	while ((got = k3_ids_line(&in, &seq, 1000, err)) == 1)
		*sum = *sum * 31 + seq.n;
	k3_ids_seq_fini(&seq);
	return got;
}

static int
run(uint64_t *sum, struct k3_err *err)
{
	FILE *fp = starve_fopen(CORPUS "run/good", "r");
	struct k3_run r;
	int bad = k3_run_read(&r, fp, "run", err);

	fclose(fp);
	if (bad != 0)
		return bad;
	*sum = r.npass * 31 + r.nargument;
	k3_run_free(&r);
	return 0;
}

static int
speed(uint64_t *sum, struct k3_err *err)
{
	struct k3_speed s = { .trunk = 0 };
	int bad = k3_speed_load(&s, CORPUS "speed/good", err);

	*sum = (uint64_t)s.trunk;
	return bad;
}

static int
sums(uint64_t *sum, struct k3_err *err)
{
	FILE *fp = starve_fopen(CORPUS "sums/sha256sum", "r");
	struct k3_sums s;
	int bad = k3_sums_read(&s, fp, "sums", err);

	for (size_t i = 0; i < s.n && bad == 0; i++)
		*sum += s.sum[i].digest[0] + strlen(s.sum[i].name);
	k3_sums_fini(&s);
	fclose(fp);
	return bad;
}

static int
sidecar(uint64_t *sum, struct k3_err *err)
{
	static const uint8_t print[K3_DIGEST128];
	struct k3_cfg cfg;
	struct k3_sidecar *s;
	bool foreign;
	int bad = -1;

	/* As in tests/fuzz/sidecar.c. */
	shards_config(&cfg);
	cfg.nlayer = 2;
	cfg.experts = 2;
	s = k3_sidecar_open(&cfg, print, err);
	if (s != NULL)
		bad = k3_sidecar_load(s, CORPUS "sidecar/whole", &foreign, err);
	for (uint64_t i = 0; bad == 0 && i < k3_sidecar_count(s); i++)
		*sum += k3_sidecar_has(s, i);
	k3_sidecar_close(s);
	return bad;
}

/* By address, and then as a stream that is written again. */
static int
layer(uint64_t *sum, struct k3_err *err)
{
	FILE *fp = starve_fopen(GOOD "example.k3l", "r");
	struct k3_layer *l = k3_layer_open(GOOD "example.k3l", err);
	struct k3_layer_stream *s = NULL;
	struct k3_layer_piece p;
	int bad = l == NULL ? -1 : k3_layer_check(l, NULL, NULL, err), got = -1;

	if (bad == 0)
		s = k3_layer_stream_open(fp, "layer", err);
	while (s != NULL && (got = k3_layer_next(s, &p, err)) == 1)
		*sum = *sum * 31 + p.off + p.len;
	k3_layer_stream_close(s);
	k3_layer_close(l);
	fclose(fp);
	return bad == 0 ? got : bad;
}

int
main(void)
{
	static const struct starve_work works[] = {
		{ "a tokenizer", tokenizer },
		{ "routes, belady's caches", routes },
		{ "pairs, our caches", pairs },
		{ "IDs", ids },
		{ "a report", run },
		{ "a disk's rates", speed },
		{ "a list of digests", sums },
		{ "a sidecar", sidecar },
		{ "a layer file", layer },
	};

	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++)
		starve(&works[i], 1);
	return tap_done();
}
