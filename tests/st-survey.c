/*
 * st-survey.c - all that is wrong with a checkpoint is said, each thing once
 */
#include <fcntl.h>

#include "common/st.h"
#include "tests/shards.h"
#include "tests/tap.h"

#define EXPERT "language_model.model.layers.1.block_sparse_moe.experts."
static const char norm[] = "language_model.model.norm.weight";
static const char embed[] = "language_model.model.embed_tokens.weight";
static const char head[] = "language_model.lm_head.weight";
static const char w1[] = EXPERT "2.w1.weight_packed";

static struct k3_cfg cfg;
static struct shards s;
static struct k3_err err;

/* What was told, a line each. */
static char told[1 << 16];
static unsigned lines, unneeded;

static void
on_wrong(void *arg, const struct k3_err *e)
{
	size_t n = strlen(told);

	(void)arg;
	lines++;
	snprintf(told + n, sizeof(told) - n, "%d %s\n", e->code, e->msg);
}

static void
on_unneeded(void *arg, const char *path, const char *tensor)
{
	(void)arg;
	unneeded += strstr(path, s.dir) != NULL && *tensor != '\0';
}

static struct k3_st *
survey(void)
{
	static const struct k3_st_watch watch = { NULL, on_wrong, on_unneeded };

	told[0] = '\0';
	lines = unneeded = 0;
	return k3_st_survey(s.dir, &cfg, &watch, &err);
}

static void
begin(unsigned nfile)
{
	shards_fill(&s, &cfg);
	s.nfile = nfile;
	for (unsigned i = 0; i < s.n; i++)
		s.t[i].file = i % nfile;
}

/* 'n' things wrong; 'found' of the needed tensors are fit for use. */
static void
check(unsigned n, int64_t found, const char *const *what, const char *name)
{
	struct k3_st *st = survey();
	bool good = st != NULL && lines == n;

	if (good && found <= 0)
		good = k3_st_found(st) == k3_st_needed(st) + (uint64_t)found;
	for (; good && *what != NULL; what++)
		if (strstr(told, *what) == NULL) {
			diag("not told: %s", *what);
			good = false;
		}
	ok(good, "%s", name);
	if (!good)
		diag("%u told:\n%s", lines, st != NULL ? told : err.msg);
	k3_st_close(st);
	shards_remove(&s);
}
#define CHECK(n, found, name, ...)                                             \
	check(n, found, (const char *const[]){ __VA_ARGS__, NULL }, name)

static void
check_tensors(void)
{
	struct shard_tensor *t;

	begin(2);
	shards_find(&s, norm)->dtype = "F16";
	shards_find(&s, embed)->shape.dim[0]++;
	*strstr(shards_find(&s, w1)->name, "w1") = 'x';
	shards_write(&s);
	CHECK(3, -3, "dtype, shape and a missing one",
	    "'language_model.model.norm.weight': dtype F16",
	    "embed_tokens.weight': shape [4, 2] (want [3, 2])",
	    "2.w1.weight_packed': missing\n");

	begin(2);
	t = shards_find(&s, head);
	t->file = 0;
	shards_add(&s, t->name, t->dtype, &t->shape)->file = 0;
	shards_add(&s, t->name, t->dtype, &t->shape)->file = 1;
	shards_write(&s);
	CHECK(2, 0, "twice in its file, and in the other", "is there twice",
	    "00002.safetensors' tensor 'language_model.lm_head.weight': it is "
	    "in");

	begin(1);
	shards_find(&s, norm)->offsets = "[0,4]";
	shards_find(&s, head)->offsets = "[2,14]";
	shards_write(&s);
	CHECK(5, 0, "tensors that share bytes", "it shares bytes with",
	    "norm.weight': it shares", "lm_head.weight': it shares");

	begin(1);
	shards_add(&s, "language_model.vision\\u000atower", "BF16",
	    &(struct k3_shape){ 1, { 4 } });
	shards_write(&s);
	CHECK(0, 0, "what nobody needs is not wrong", "");
	ok(unneeded == 1, "and it is told");
}

static void
check_experts(void)
{
	char name[64];

	begin(1);
	for (unsigned e = 0; e < 3; e++)
		for (unsigned p = 0; p < K3_NPART; p++) {
			k3_part_name(2, 2 * e, (enum k3_part)p, told);
			*strstr(shards_find(&s, told)->name, "w") = 'W';
		}
	shards_write(&s);
	snprintf(name, sizeof(name), "'%s' layer 2 expert 4: missing", s.dir);
	CHECK(3, -18, "an expert without any part is told of once", name);
}

static void
check_files(void)
{
	char path[128];

	begin(4);
	s.index = true;
	s.leave_out = 2;
	shards_find(&s, norm)->index = "nowhere.safetensors";
	shards_find(&s, embed)->file = 3;
	shards_write(&s);
	shards_path(&s, 3, path);
	if (truncate(path, (off_t)shards_find(&s, embed)->off + 3) != 0)
		abort();
	CHECK(5, 1, "files that are missing, and one that was cut off",
	    "66 cannot open", "model-00002-of-000004", "nowhere.safetensors",
	    "the index has it in 'nowhere", "more of its tensors are outside");

	begin(4);
	shards_write(&s);
	shards_path(&s, 2, path);
	if (truncate(path, 4000) != 0)
		abort();
	shards_path(&s, 1, path);
	if (truncate(path, 7) != 0)
		abort();
	CHECK(3, 1, "headers that were cut off", "bytes are no safetensors",
	    "a header of", "tensors are missing, the first is");

	begin(3);
	s.leave_out = 2;
	shards_write(&s);
	CHECK(2, 1, "shards that are missing without an index",
	    "1 of 3 shards are missing, the first is 2");
}

static void
check_sizes(void)
{
	char path[128];
	FILE *fp;

	begin(2);
	shards_write(&s);
	shards_path(&s, 1, path);
	if ((fp = fopen(path, "ab")) == NULL)
		abort();
	fputs("12345", fp);
	fclose(fp);
	CHECK(1, 0, "bytes behind the last tensor",
	    "00002.safetensors': 5 bytes behind its last tensor");
}

static void
check_index(void)
{
	struct k3_st *st;
	char path[128];
	FILE *fp;

	begin(2);
	s.index = true;
	shards_write(&s);
	snprintf(path, sizeof(path), "%s/model.safetensors.index.json", s.dir);
	if (truncate(path, 5000) != 0)
		abort();
	CHECK(1, 0, "a broken index does not hide the shards", "index.json'");

	begin(2);
	s.index = true;
	shards_find(&s, norm)->silent = true;
	shards_find(&s, head)->index = "../x";
	shards_write(&s);
	CHECK(3, -2, "an index that lists one not, and one outside",
	    "norm.weight': the index does not list it", "a slash",
	    "lm_head.weight': the index does not list it");

	begin(1);
	st = survey();
	ok(st == NULL && err.code == EX_NOINPUT, "an empty folder: %s",
	    err.msg);
	k3_st_close(st);
	snprintf(path, sizeof(path), "%s/model.safetensors.index.json", s.dir);
	if ((fp = fopen(path, "w")) == NULL)
		abort();
	fputs("{\"weight_map\":{}}", fp);
	fclose(fp);
	st = survey();
	ok(st != NULL && lines > 50 && k3_st_found(st) == 0,
	    "an index of nothing");
	k3_st_close(st);
	shards_remove(&s);
}

int
main(void)
{
	shards_config(&cfg);
	check_tensors();
	check_experts();
	check_files();
	check_sizes();
	check_index();
	return tap_done();
}
