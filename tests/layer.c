/*
 * layer.c - layer files: round trips, and what is refused
 */
#include "tests/layer-image.h"

static bool
same_rows(const struct k3_layer *l, const char *name, const void *want,
    size_t row)
{
	const struct k3_layer_tensor *t = k3_layer_find(l, name);
	uint8_t got[sizeof(p)];
	struct k3_err err;

	if (t == NULL || t->len != l->rows * row || t->dim[0] != l->rows)
		return false;
	for (size_t from = 0; from <= t->len; from++)
		for (size_t n = 0; n <= t->len - from; n += 7)
			if (k3_layer_read(l, t, from, got, n, &err) != 0 ||
			    memcmp(got, (const uint8_t *)want + from, n) != 0)
				return false;
	return k3_layer_read(l, t, 1, got, t->len, &err) == -1 &&
	       k3_layer_check_tensor(l, t, want, &err) == 0;
}

static void
round_trip(size_t nrow)
{
	struct image im = write_image(&head, nrow, 1, 1);
	char path[32];
	int fd = memory_file(&im, path);
	struct k3_err err = { 0, "" };
	struct k3_layer *l = k3_layer_open(path, &err);
	uint8_t payload[K3_PAGE];
	bool same = true;

	if (!ok(l != NULL, "%zu rows: opens", nrow)) {
		diag("%s", err.msg);
		return;
	}
	ok(l->kind == head.kind && l->layer == head.layer && l->rows == nrow &&
		memcmp(l->fingerprint, head.fingerprint, 16) == 0 &&
		k3_layer_size(l, nrow) == im.len && l->off % K3_PAGE == 0 &&
		l->len % K3_PAGE == 0,
	    "%zu rows: the head is right", nrow);
	ok(pread(fd, payload, l->len, (off_t)l->off) == (ssize_t)l->len &&
		memcmp(payload + k3_layer_find(l, "ids")->off, ids, 20) == 0 &&
		memcmp(payload + k3_layer_find(l, "w")->off, w, 210) == 0 &&
		k3_layer_find(l, "w")->off % K3_ALIGN == 0,
	    "%zu rows: one read of the payload brings the tensors", nrow);
	ok(k3_layer_check_tensor(l, k3_layer_find(l, "w"), w, &err) == 0 &&
		k3_layer_check_tensor(l, k3_layer_find(l, "w"), p, &err) == -1,
	    "%zu rows: a tensor in memory is checked", nrow);
	ok(same_rows(l, "p", p, sizeof(p[0])) &&
		same_rows(l, "x", x, sizeof(x[0])),
	    "%zu rows: any bytes of them", nrow);
	ok(k3_layer_check(l, NULL, NULL, &err) == 0 &&
		drain(im.data, im.len, &err) == 0,
	    "%zu rows: by address and in one pass", nrow);
	for (size_t n = 2; n < NROWS + 1; n++) {
		struct image again = write_image(&head, nrow, n, n * 17);

		same &= again.len == im.len &&
			memcmp(again.data, im.data, im.len) == 0;
		free(again.data);
	}
	ok(same, "%zu rows: the same bytes however they came", nrow);
	k3_layer_close(l);
	close(fd);
	free(im.data);
}

static void
bad_tables(void)
{
	struct {
		const char *what;
		struct k3_layer_tensor t;
	} const bad[] = {
		{ "no name", { .name = "", .ndim = 1, .dim = { 1 } } },
		{ "a blank in a name", { .name = "a b", .ndim = 1 } },
		{ "another name's", { .name = "ids", .ndim = 1 } },
		{ "no dimension", { .name = "a" } },
		{ "five dimensions", { .name = "a", .ndim = 5 } },
		{ "a wrapping shape",
		    { .name = "a",
			.ndim = 2,
			.dim = { UINT64_C(1) << 32, UINT64_C(1) << 32 } } },
		{ "a wrapping shape that is zero",
		    { .name = "a",
			.ndim = 3,
			.dim = { UINT64_C(1) << 32, UINT64_C(1) << 32, 0 } } },
		{ "a sum of sizes that wraps",
		    { .name = "a", .ndim = 1, .dim = { UINT64_C(1) << 60 } } },
		{ "empty rows", { .name = "a",
				    .grows = true,
				    .ndim = 2,
				    .dim = { 0, 0 } } },
		{ "rows too long for a block",
		    { .name = "a",
			.grows = true,
			.ndim = 2,
			.dim = { 0, UINT64_C(1) << 59 } } },
	};
	struct k3_err err;
	FILE *null = fopen("/dev/null", "w");

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct k3_layer_tensor two[2] = { table[0], bad[i].t };
		struct k3_layer l = head;
		struct k3_layer_writer *out;

		l.ntensor = 2;
		l.tensor = two;
		l.block_rows = two[1].grows ? ROWS : 0;
		out = k3_layer_begin(&l, null, "null", &err);
		ok(out == NULL && err.code == EX_DATAERR, "%s is refused: %s",
		    bad[i].what, err.msg);
		k3_layer_writer_close(out);
	}
	fclose(null);
}

static void
full(void)
{
	struct k3_err err = { 0, "" };
	FILE *fp = fopen("/dev/full", "w");
	struct k3_layer_writer *out = k3_layer_begin(&head, fp, "full", &err);
	int bad = out == NULL || k3_layer_put(out, ids, sizeof(ids), &err) ||
		  k3_layer_put(out, w, sizeof(w), &err) ||
		  k3_layer_end(out, &err);

	ok(bad && err.code == EX_IOERR, "a full disk: %s", err.msg);
	k3_layer_writer_close(out);
	fclose(fp);
}

/* The example of k3-layer(5), which a reader of that page can make too. */
static void
example(void)
{
	static const uint8_t two[] = { 0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0 };
	static const uint8_t rows[] = { 0x80, 0x3f, 0, 0x40, 0x40, 0x40, 0x80,
		0x40, 0xa0, 0x40, 0xc0, 0x40 };
	static const void *const grown[] = { rows };
	struct k3_layer_tensor t[] = {
		{ .name = "w", .dtype = K3_F32, .ndim = 1, .dim = { 2 } },
		{ .name = "p",
		    .dtype = K3_BF16,
		    .grows = true,
		    .ndim = 2,
		    .dim = { 0, 2 } },
	};
	struct k3_layer l = { .kind = K3_LAYER_HIDDEN,
		.layer = 5,
		.ntensor = 2,
		.tensor = t,
		.block_rows = 2 };
	struct image im = { NULL, 0 };
	struct k3_layer_writer *out;
	struct k3_err err = { 0, "" };
	char golden[16384];
	FILE *fp;
	size_t n;

	for (int i = 0; i < K3_DIGEST128; i++)
		l.fingerprint[i] = (uint8_t)(i * 0x11);
	fp = open_memstream(&im.data, &im.len);
	out = k3_layer_begin(&l, fp, "example", &err);
	ok(out != NULL && k3_layer_put(out, two, sizeof(two), &err) == 0 &&
		k3_layer_put_rows(out, grown, 3, &err) == 0 &&
		k3_layer_end(out, &err) == 0,
	    "the example of the manual is written");
	k3_layer_writer_close(out);
	fclose(fp);
	fp = fopen("tests/golden/good/example.k3l", "r");
	n = fp != NULL ? fread(golden, 1, sizeof(golden), fp) : 0;
	ok(n == im.len && memcmp(golden, im.data, n) == 0,
	    "with the bytes that the manual shows");
	if (fp != NULL)
		fclose(fp);
	free(im.data);
}

static void
not_files(void)
{
	struct k3_err err;

	ok(k3_layer_open("/no/such", &err) == NULL && err.code == EX_NOINPUT,
	    "a missing file: %s", err.msg);
	ok(k3_layer_open("/", &err) == NULL && err.code == EX_NOINPUT,
	    "a folder: %s", err.msg);
	ok(k3_layer_open("/dev/zero", &err) == NULL && err.code == EX_NOINPUT,
	    "a device: %s", err.msg);
}

int
main(void)
{
	fill();
	for (size_t nrow = 0; nrow <= NROWS; nrow++)
		round_trip(nrow);
	bad_tables();
	full();
	not_files();
	example();
	return tap_done();
}
