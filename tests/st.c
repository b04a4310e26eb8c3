/*
 * st.c - a checkpoint is indexed alike however it is split, ordered and spelt
 */
#include "common/st.h"
#include "tests/shards.h"
#include "tests/tap.h"

static struct k3_cfg cfg;
static struct shards s;
static struct k3_err err;
static uint64_t rng = 1;

static unsigned
rnd(unsigned n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(rng >> 33) % n;
}

/* Any order, and any file, but each has a tensor. */
static void
shuffle(unsigned nfile)
{
	for (unsigned i = s.n - 1; i > 0; i--) {
		unsigned k = rnd(i + 1);
		struct shard_tensor t = s.t[i];

		s.t[i] = s.t[k];
		s.t[k] = t;
	}
	s.nfile = nfile;
	for (unsigned i = 0; i < s.n; i++)
		s.t[i].file = i < nfile ? i : rnd(nfile);
}

static bool
check_loc(struct k3_st *st, struct k3_loc loc, const char *name)
{
	const struct shard_tensor *t = shards_find(&s, name);
	char path[128];
	uint8_t buf[4096];

	shards_path(&s, t->file, path);
	if (loc.off != t->off || loc.len != t->len || loc.len > sizeof(buf) ||
	    strcmp(k3_st_path(st, loc.file), path) != 0) {
		diag("%s: offset %" PRIu64 " want %" PRIu64, name, loc.off,
		    t->off);
		return false;
	}
	if (k3_st_read(st, loc.file, loc.off, buf, loc.len, name, &err) != 0) {
		diag("%s", err.msg);
		return false;
	}
	for (uint64_t i = 0; i < loc.len; i++)
		if (buf[i] != shards_byte(name, i))
			return false;
	return true;
}

/* Is each tensor where it was written, with its bytes? */
static bool
check_all(struct k3_st *st)
{
	char name[K3_NAME_MAX];
	uint8_t dtype[K3_NTENSOR];
	struct k3_shape shape;
	bool good = k3_st_nfile(st) == s.nfile && k3_st_count(st) == s.n;

	for (unsigned l = 0; l <= cfg.nlayer; l++) {
		k3_st_dtypes(st, l, dtype);
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			struct k3_loc loc;

			if (!k3_tensor_shape(&cfg, l, (enum k3_tensor)t,
				&shape))
				continue;
			loc = k3_st_tensor(st, l, (enum k3_tensor)t);
			k3_tensor_name(l, (enum k3_tensor)t, name);
			good = good && check_loc(st, loc, name) &&
			       loc.dtype == dtype[t];
		}
	}
	for (unsigned l = cfg.ndense; l < cfg.nlayer; l++)
		for (unsigned e = 0; e < cfg.experts; e++)
			for (unsigned p = 0; p < K3_NPART; p++) {
				k3_part_name(l, e, (enum k3_part)p, name);
				good = good && check_loc(st,
						   k3_st_part(st, l, e,
						       (enum k3_part)p),
						   name);
			}
	return good;
}

static void
check(const char *what)
{
	struct k3_st *st;
	bool good;

	shards_write(&s);
	err.msg[0] = '\0';
	st = k3_st_open(s.dir, &cfg, &err);
	good = st != NULL && check_all(st) && k3_st_memory(st) > 0;
	ok(good, "%s", what);
	if (!good)
		diag("%s", err.msg);
	k3_st_close(st);
	shards_remove(&s);
}

static void
check_splits(void)
{
	static const unsigned nfile[] = { 1, 2, 7, 130, 0 };
	char what[80];

	for (size_t i = 0; i < sizeof(nfile) / sizeof(nfile[0]); i++)
		for (int index = 0; index < 2; index++) {
			shards_fill(&s, &cfg);
			shuffle(nfile[i] == 0 ? s.n : nfile[i]);
			s.index = index != 0;
			snprintf(what, sizeof(what), "%u files, %s index",
			    s.nfile, index != 0 ? "with" : "without");
			check(what);
		}
	shards_fill(&s, &cfg);
	s.format = "model.safetensors";
	check("one model.safetensors");
	shards_fill(&s, &cfg);
	shuffle(3);
	s.format = "weights.%u-%u";
	s.index = true;
	check("files of any name that an index has");
}

static void
check_spelling(void)
{
	struct k3_shape odd = { 3, { 1, 1, 6 } }, none = { 0, { 0 } };

	shards_fill(&s, &cfg);
	shuffle(3);
	s.metadata = true;
	check("metadata");
	shards_fill(&s, &cfg);
	shuffle(3);
	s.blanks = true;
	check("blanks wherever JSON allows them");
	shards_fill(&s, &cfg);
	shuffle(3);
	s.escapes = s.index = true;
	check("escapes in names");
	shards_fill(&s, &cfg);
	shards_add(&s, "vision_tower.x", "F8_E4M3", &odd);
	shards_add(&s, "vision_tower.scalar", "I64", &none);
	shards_add(&s, "language_model.model.layers.3.input_layernorm.weight",
	    "BF16", &odd);
	shards_add(&s, "language_model.model.layers.01.input_layernorm.weight",
	    "BF16", &odd);
	shards_add(&s,
	    "language_model.model.layers.1.block_sparse_moe.experts.6.w1"
	    ".weight_packed",
	    "U8", &odd)
	    ->offsets = "[9223372036854775807,3]";
	shuffle(3);
	check("tensors that nobody needs");
}

static void
check_dtypes(void)
{
	shards_fill(&s, &cfg);
	for (unsigned i = 0; i < s.n; i++)
		if (strcmp(s.t[i].dtype, "BF16") == 0)
			s.t[i].dtype = "F32";
	check("F32 where the released checkpoint has BF16");
	shards_fill(&s, &cfg);
	for (unsigned i = 0; i < s.n; i++)
		if (strcmp(s.t[i].dtype, "F32") == 0)
			s.t[i].dtype = "BF16";
	check("BF16 where it has F32");
}

static void
check_read(void)
{
	struct k3_st *st;
	uint8_t buf[64];
	char path[128], other[128];

	shards_fill(&s, &cfg);
	shards_write(&s);
	st = k3_st_open(s.dir, &cfg, &err);
	shards_path(&s, 0, path);
	ok(k3_st_read(st, 0, k3_st_size(st, 0), buf, 1, "x", &err) == -1 &&
		err.code == EX_DATAERR,
	    "a read outside of the file: %s", err.msg);
	ok(k3_st_read(st, 0, UINT64_MAX, buf, 2, "x", &err) == -1,
	    "one that wraps");
	ok(k3_st_read(st, 0, k3_st_size(st, 0), buf, 0, "x", &err) == 0,
	    "one of nothing, at the end");
	if (truncate(path, (off_t)k3_st_size(st, 0) - 10) != 0)
		abort();
	ok(k3_st_read(st, 0, k3_st_size(st, 0) - 64, buf, 64, "layer 3",
	       &err) == -1 &&
		err.code == EX_IOERR && strstr(err.msg, "layer 3") != NULL,
	    "a file that got shorter: %s", err.msg);
	k3_st_close(st);
	shards_remove(&s);
	/* Files after the first 128 are opened again for each read. */
	shards_fill(&s, &cfg);
	shuffle(130);
	shards_write(&s);
	st = k3_st_open(s.dir, &cfg, &err);
	shards_path(&s, 129, path);
	s.format = "model-%05u-of-%06u.new";
	shards_write_file(&s, 129);
	shards_path(&s, 129, other);
	if (rename(other, path) != 0)
		abort();
	ok(k3_st_read(st, 129, 0, buf, 8, "x", &err) == -1 &&
		strstr(err.msg, "another file") != NULL,
	    "a file that was replaced: %s", err.msg);
	k3_st_close(st);
	shards_remove(&s);
}

int
main(void)
{
	shards_config(&cfg);
	check_splits();
	check_spelling();
	check_dtypes();
	check_read();
	return tap_done();
}
