/*
 * st-bad.c - what is wrong with a checkpoint is found, and said
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/st.h"
#include "tests/shards.h"
#include "tests/tap.h"

static struct k3_cfg cfg;
static struct shards s;
static struct k3_err err;

#define EXPERT "language_model.model.layers.1.block_sparse_moe.experts."
static const char norm[] = "language_model.model.norm.weight";
static const char embed[] = "language_model.model.embed_tokens.weight";
static const char w1[] = EXPERT "2.w1.weight_packed";

static void
begin(unsigned nfile)
{
	shards_fill(&s, &cfg);
	s.nfile = nfile;
	for (unsigned i = 0; i < s.n; i++)
		s.t[i].file = i % nfile;
}

static bool
refused(int code, const char *what)
{
	struct k3_st *st = k3_st_open(s.dir, &cfg, &err);
	bool good = st == NULL && err.code == code &&
		    strstr(err.msg, what) != NULL &&
		    strchr(err.msg, '\n') == NULL;

	if (st != NULL)
		diag("it was opened");
	else if (!good)
		diag("%d %s", err.code, err.msg);
	k3_st_close(st);
	return good;
}

/* Write what was made wrong; the message must have 'what'. */
static void
check(int code, const char *what, const char *name)
{
	shards_write(&s);
	ok(refused(code, what), "%s", name);
	shards_remove(&s);
}

static void
check_tensors(void)
{
	struct shard_tensor *t;

	begin(2);
	*strstr(shards_find(&s, norm)->name, "norm") = 'N';
	check(EX_DATAERR, norm, "a tensor is missing");
	begin(2);
	*strstr(shards_find(&s, w1)->name, "w1") = 'W';
	check(EX_DATAERR, w1, "a part of an expert is missing");
	begin(2);
	shards_find(&s, norm)->shape.dim[0]--;
	check(EX_DATAERR, "norm.weight': shape [1] (want [2])", "a size");
	begin(2);
	shards_find(&s, norm)->shape.ndim++;
	shards_find(&s, norm)->shape.dim[1] = 1;
	check(EX_DATAERR, "shape [2, 1] (want [2])", "one dimension more");
	begin(2);
	t = shards_find(&s, embed);
	t->shape.dim[0] = 2;
	t->shape.dim[1] = 3;
	check(EX_DATAERR, "shape [2, 3] (want [3, 2])", "a transposed matrix");
	begin(2);
	shards_find(&s, norm)->dtype = "F16";
	check(EX_DATAERR, "dtype F16 (want BF16 or F32)", "a dtype");
	begin(2);
	shards_find(&s, norm)->dtype = "U8";
	check(EX_DATAERR, "dtype U8", "a packed tensor that is none");
	begin(2);
	shards_find(&s, w1)->dtype = "BF16";
	check(EX_DATAERR, "dtype BF16 (want U8)", "an expert in BF16");
	begin(2);
	t = shards_find(&s, w1);
	shards_add(&s, w1, "U8", &t->shape)->file = t->file;
	check(EX_DATAERR, "it is there twice", "a name twice in a file");
	begin(2);
	t = shards_find(&s, norm);
	shards_add(&s, norm, "BF16", &t->shape)->file = 1 - t->file;
	check(EX_DATAERR, "it is in 'model-0", "a name in two files");
}

static void
check_offsets(void)
{
	static const struct {
		const char *name, *offsets, *what;
	} bad[] = {
		{ norm, "[4,0]", "bytes 4 to 0 of" },
		{ norm, "[0,5]", "5 bytes (want 4)" },
		{ norm, "[0,8]", "8 bytes (want 4)" },
		{ norm, "[99999999,100000003]", "bytes 99999999 to 100000003" },
		{ norm, "[9223372036854775803,9223372036854775807]",
		    "bytes 9223372036854775803 to" },
		{ norm, "[18446744073709551612,0]", "too large" },
		{ norm, "[18446744073709551615,3]", "too large" },
		{ norm, "[-4,0]", "not a number from 0 up" },
		{ norm, "[0.0,4]", "not a number from 0 up" },
		{ norm, "[0,\"4\"]", "not a number from 0 up" },
		{ norm, "[0]", "closing bracket (want a comma)" },
		{ norm, "[0,4,8]", "a comma (want a closing" },
		{ norm, "null", "null (want a list)" },
		{ norm, "[0,4],\"shape\":[2]", "a key twice" },
		{ norm, "[0,4],\"x\":[}", "(want a value)" },
		{ norm, "[0,4],\"x\":[1 2]", "(want a comma or the list" },
		{ norm, "[0,4],\"x\":\"\xff\"", "not UTF-8" },
		{ norm, "[0,4],\"x\":\"\\ud800\"", "bad escape" },
		{ norm, "[0,4],\"x\":01", "bad number" },
		{ w1, "[0,512]", "it shares bytes with" },
		{ w1, "[1,513]", "it shares bytes with" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		begin(2);
		shards_find(&s, bad[i].name)->offsets = bad[i].offsets;
		check(EX_DATAERR, bad[i].what, bad[i].offsets);
	}
}

static void
check_index(void)
{
	begin(2);
	s.index = true;
	shards_find(&s, norm)->index = "model-00003-of-000002.safetensors";
	check(EX_NOINPUT, "cannot open", "the index names a missing file");
	begin(2);
	s.index = true;
	shards_find(&s, norm)->index = "../x.safetensors";
	check(EX_DATAERR, "a slash", "a file in another folder");
	begin(2);
	s.index = true;
	shards_find(&s, norm)->index = "..";
	check(EX_DATAERR, "a file name", "the folder above");
	begin(2);
	s.index = true;
	shards_find(&s, norm)->index = "";
	check(EX_DATAERR, "empty", "a file name that is empty");
	begin(2);
	s.index = true;
	shards_find(&s, norm)->index = "a\\nb";
	check(EX_DATAERR, "control", "a file name with a newline");
	begin(2);
	s.index = true;
	shards_find(&s, norm)->silent = true;
	check(EX_DATAERR, "the index does not list it", "a tensor it lacks");
	begin(2);
	s.index = true;
	shards_find(&s, norm)->index =
	    shards_find(&s, norm)->file == 0
		? "model-00002-of-000002.safetensors"
		: "model-00001-of-000002.safetensors";
	check(EX_DATAERR, "the index has it in", "a tensor in another file");
	begin(1);
	s.index = true;
	shards_add(&s, norm, "BF16", &shards_find(&s, norm)->shape)->file = 1;
	check(EX_DATAERR, "listed twice", "a tensor that it lists twice");
}

static void
write_at(unsigned file, const void *data, size_t len, off_t off)
{
	char path[128];
	int fd;

	shards_path(&s, file, path);
	if ((fd = open(path, O_WRONLY)) < 0 ||
	    pwrite(fd, data, len, off) != (ssize_t)len)
		abort();
	close(fd);
}

static void
check_header(void)
{
	static const uint64_t lie[] = { 0, 1, 2, 1000, 100000001, 1ull << 31,
		1ull << 32, INT64_MAX, UINT64_MAX - 8, UINT64_MAX - 7,
		UINT64_MAX };
	struct k3_st *st;
	char path[128];

	begin(1);
	shards_write(&s);
	shards_path(&s, 0, path);
	for (size_t i = 0; i < sizeof(lie) / sizeof(lie[0]); i++) {
		write_at(0, &lie[i], 8, 0); /* on little-endian machines */
		ok(refused(EX_DATAERR, path), "a header of %" PRIu64 " bytes",
		    lie[i]);
	}
	write_at(0, &lie[4], 8, 0);
	if (truncate(path, (off_t)1 << 40) != 0)
		abort();
	ok(refused(EX_DATAERR, "want at most 100000000"),
	    "a header that is too large for any file");
	shards_write(&s);
	write_at(0, "[", 1, 8);
	ok(refused(EX_DATAERR, "offset 8: "), "not an object: %s", err.msg);
	shards_write(&s);
	st = k3_st_open(s.dir, &cfg, &err);
	ok(st != NULL, "the same file, when whole");
	k3_st_close(st);
	shards_remove(&s);
}

static void
check_cut(void)
{
	char path[128];
	struct stat sb;
	bool good = true;

	begin(1);
	shards_write(&s);
	shards_path(&s, 0, path);
	if (stat(path, &sb) != 0)
		abort();
	for (off_t len = sb.st_size - 1; len >= 0 && good; len--)
		good = truncate(path, len) == 0 && refused(EX_DATAERR, path);
	ok(good, "a file cut at each of its %lld bytes", (long long)sb.st_size);
	shards_remove(&s);
}

static void
check_files(void)
{
	char path[128];

	begin(3);
	s.leave_out = 2;
	check(EX_NOINPUT, "1 of 3 shards are missing, the first is 2",
	    "a shard is missing");
	begin(3);
	s.leave_out = 2;
	s.index = true;
	check(EX_NOINPUT, "model-00002-of-000003", "one of the index's");
	begin(2);
	shards_write(&s);
	s.format = "model-%u-of-%06u.safetensors";
	check(EX_DATAERR, "one shard too many", "two shards of one number");
	begin(2);
	s.nfile = 0;
	shards_path(&s, 6, path);
	check(EX_NOINPUT, "no model.safetensors", "an empty folder");
	begin(1);
	shards_write(&s);
	shards_path(&s, 0, path);
	unlink(path);
	if (mkfifo(path, 0600) != 0)
		abort();
	ok(refused(EX_NOINPUT, "not a regular file"), "a FIFO");
	unlink(path);
	if (symlink("/dev/zero", path) != 0)
		abort();
	ok(refused(EX_NOINPUT, "not a regular file"), "a link to a device");
	shards_remove(&s);
	ok(refused(EX_NOINPUT, "No such file"), "no folder: %s", err.msg);
}

int
main(void)
{
	shards_config(&cfg);
	check_tensors();
	check_offsets();
	check_index();
	check_header();
	check_cut();
	check_files();
	return tap_done();
}
