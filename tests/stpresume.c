/*
 * stpresume.c - a checkpoint that is not there yet has the released sizes
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/sizes.h"
#include "common/st.h"
#include "tests/tap.h"

static struct k3_cfg cfg;
static struct k3_err err;

static void
same(uint64_t got, uint64_t want, const char *what)
{
	if (!ok(got == want, "%s: %" PRIu64, what, want))
		diag("got %" PRIu64, got);
}

/* Kimi K3's, from its released headers. */
static void
check_sizes(const struct k3_st *st)
{
	struct k3_sizes z;

	k3_sizes(&z, &cfg, st);
	same(z.expert, 17547264, "an expert");
	same(z.experts, 1446456066048, "all experts");
	same(z.trunk, 108811877376, "trunk");
	same(k3_layer_bytes(&cfg, st, 0), 2341213184, "layer 0");
	same(k3_layer_bytes(&cfg, st, 1), 1267744256, "layer 1");
	same(k3_layer_bytes(&cfg, st, 3), 844335616, "layer 3");
	same(z.head, 4697663488, "head");
	same(z.kda, 434110464, "KDA state");
	same(z.latent, 55296, "latents");
	same(k3_st_nfile(st), 94, "files");
	same(k3_st_count(st), 497052, "tensors");
}

/* Nothing overlaps, and all is inside of its file. */
static bool
apart(const struct k3_st *st, unsigned layer)
{
	struct k3_loc loc;
	struct k3_shape shape;
	uint64_t sum = 0, most = 0, least = UINT64_MAX, end;

	for (unsigned t = 0; t < K3_NTENSOR; t++) {
		if (!k3_tensor_shape(&cfg, layer, (enum k3_tensor)t, &shape))
			continue;
		loc = k3_st_tensor(st, layer, (enum k3_tensor)t);
		end = loc.off + loc.len;
		sum += loc.len;
		most = end > most ? end : most;
		least = loc.off < least ? loc.off : least;
	}
	for (unsigned e = 0;
	     e < cfg.experts && layer >= cfg.ndense && layer < cfg.nlayer; e++)
		for (unsigned p = 0; p < K3_NPART; p++) {
			loc = k3_st_part(st, layer, e, (enum k3_part)p);
			end = loc.off + loc.len;
			sum += loc.len;
			most = end > most ? end : most;
			least = loc.off < least ? loc.off : least;
		}
	return most - least == sum && least >= 8 &&
	       k3_st_size(st, layer) == most;
}

static void
check_reads(struct k3_st *st)
{
	char buf[8];

	ok(k3_st_read(st, 1, 0, buf, 8, "layer 1", &err) == -1 &&
		err.code == EX_NOINPUT &&
		strstr(err.msg, "'model-00002-of-000094.safetensors'") != NULL,
	    "a read is refused: %s", err.msg);
	ok(k3_st_fd(st, 93, &err) == -1 && err.code == EX_NOINPUT,
	    "so is a descriptor: %s", err.msg);
	ok(k3_st_presumed(st), "and it can be asked");
}

/* Where the real one has everything. */
static bool
alike(const struct k3_st *a, const struct k3_st *b)
{
	struct k3_shape shape;
	struct k3_loc x, y;

	for (unsigned i = 0; i <= cfg.nlayer; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			enum k3_tensor kind = (enum k3_tensor)t;

			if (!k3_tensor_shape(&cfg, i, kind, &shape))
				continue;
			x = k3_st_tensor(a, i, kind);
			y = k3_st_tensor(b, i, kind);
			if (x.off != y.off || x.len != y.len ||
			    x.file != y.file || x.dtype != y.dtype)
				return false;
		}
	for (unsigned i = cfg.ndense; i < cfg.nlayer; i++)
		for (unsigned n = 0; n < cfg.experts * K3_NPART; n++) {
			enum k3_part p = (enum k3_part)(n % K3_NPART);

			x = k3_st_part(a, i, n / K3_NPART, p);
			y = k3_st_part(b, i, n / K3_NPART, p);
			if (x.off != y.off || x.len != y.len ||
			    x.file != y.file)
				return false;
		}
	return true;
}

static int
check_released(const struct k3_st *st)
{
	static const char script[] = "../shared/data/skeleton.py";
	char dir[] = "/tmp/k3-presume-XXXXXX", cmd[256];
	struct k3_st *real;

	if (access(script, R_OK) != 0 ||
	    system("python3 -c '' 2>/dev/null") != 0) {
		skip("places are those of the released checkpoint",
		    "no python3 or no ../shared/data/skeleton.py");
		return 0;
	}
	if (mkdtemp(dir) == NULL)
		return -1;
	snprintf(cmd, sizeof(cmd), "python3 %s %s >/dev/null", script, dir);
	if (ok(system(cmd) == 0 && (real = k3_st_open(dir, &cfg, &err)) != NULL,
		"the skeleton is written")) {
		ok(alike(st, real),
		    "places are those of the released checkpoint");
		k3_st_close(real);
	}
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd);
}

/* Sizes that a config may have and no file. */
static void
check_absurd(void)
{
	struct k3_cfg odd = cfg;

	odd.experts = K3_MAX_EXPERTS;
	ok(k3_st_presume(&odd, &err) == NULL && err.code == EX_DATAERR,
	    "too many experts: %s", err.msg);
	odd = cfg;
	odd.hidden = K3_MAX_SIZE;
	odd.dense = K3_MAX_SIZE;
	ok(k3_st_presume(&odd, &err) == NULL && err.code == EX_DATAERR,
	    "too large a layer: %s", err.msg);
}

int
main(void)
{
	struct k3_st *st;
	bool good = true;

	if (!ok(k3_cfg_load(&cfg, "examples/kimi-k3", &err) == 0 &&
		    (st = k3_st_presume(&cfg, &err)) != NULL,
		"Kimi K3's config"))
		return tap_done();
	check_sizes(st);
	for (unsigned i = 0; i <= cfg.nlayer; i++)
		good &= apart(st, i);
	ok(good, "tensors fill their files, from the header's end on");
	check_reads(st);
	check_absurd();
	if (check_released(st) != 0)
		return 1;
	k3_st_close(st);
	return tap_done();
}
