/*
 * layer.c - layer files: round trips, and damage of every kind
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "common/le.h"
#include "tests/tap.h"

#define E     6 /* elements of a row */
#define ROWS  4 /* of a block */
#define NROWS 11

/* Two fixed tensors, one of them empty, and two that grow. */
static struct k3_layer_tensor table[] = {
	{ .name = "ids", .dtype = K3_U32, .ndim = 1, .dim = { 5 } },
	{ .name = "p",
	    .dtype = K3_F32,
	    .grows = true,
	    .ndim = 2,
	    .dim = { 0, E } },
	{ .name = "none", .dtype = K3_U8, .ndim = 2, .dim = { 0, 9 } },
	{ .name = "x",
	    .dtype = K3_BF16,
	    .grows = true,
	    .ndim = 2,
	    .dim = { 0, E } },
	{ .name = "w", .dtype = K3_BF16, .ndim = 3, .dim = { 3, 1, 35 } },
};
static const struct k3_layer head = {
	.kind = K3_LAYER_HIDDEN,
	.layer = 7,
	.fingerprint = "0123456789abcde",
	.ntensor = 5,
	.tensor = table,
	.block_rows = ROWS,
};

static uint8_t ids[20], w[210], p[NROWS][4 * E], x[NROWS][2 * E];

static void
fill(void)
{
	uint32_t v = 1;

#define FILL(a)                                                                \
	for (size_t i = 0; i < sizeof(a); i++, v = v * 69069 + 1)              \
	((uint8_t *)a)[i] = (uint8_t)(v >> 24)
	FILL(ids);
	FILL(w);
	FILL(p);
	FILL(x);
}

/* A file in memory. */
struct image {
	char *data;
	size_t len;
};

static struct image
write_image(const struct k3_layer *l, size_t nrow, size_t at_a_time,
    size_t piece)
{
	struct image im = { NULL, 0 };
	FILE *fp = open_memstream(&im.data, &im.len);
	struct k3_err err = { 0, "" };
	struct k3_layer_writer *out = k3_layer_begin(l, fp, "image", &err);
	uint8_t all[sizeof(ids) + sizeof(w)];
	bool bad = out == NULL;

	memcpy(all, ids, sizeof(ids));
	memcpy(all + sizeof(ids), w, sizeof(w));
	for (size_t i = 0, n; i < sizeof(all) && !bad; i += n) {
		n = sizeof(all) - i < piece ? sizeof(all) - i : piece;
		bad = k3_layer_put(out, all + i, n, &err) != 0;
	}
	for (size_t i = 0, n; i < nrow && !bad; i += n) {
		const void *rows[] = { p[i], x[i] };

		n = nrow - i < at_a_time ? nrow - i : at_a_time;
		bad = k3_layer_put_rows(out, rows, n, &err) != 0;
	}
	if (bad || k3_layer_end(out, &err) != 0)
		diag("%s", err.msg);
	k3_layer_writer_close(out);
	fclose(fp);
	return im;
}

/* Drain a stream; 0 if all is right. */
static int
drain(const char *data, size_t len, struct k3_err *err)
{
	FILE *fp = fmemopen((void *)(uintptr_t)data, len > 0 ? len : 1, "r");
	struct k3_layer_stream *s;
	struct k3_layer_piece piece;
	int got = -1;

	if (len == 0)
		getc(fp);
	s = k3_layer_stream_open(fp, "stream", err);
	if (s != NULL)
		while ((got = k3_layer_next(s, &piece, err)) == 1)
			;
	k3_layer_stream_close(s);
	fclose(fp);
	return got;
}

/* The same of a file, by address. */
static int
check_file(const char *path, struct k3_err *err)
{
	struct k3_layer *l = k3_layer_open(path, err);
	int bad = l == NULL ? -1 : k3_layer_check(l, NULL, NULL, err);

	k3_layer_close(l);
	return bad;
}

/* A file that has no name, by a path. */
static int
memory_file(const struct image *im, char path[32])
{
	int fd = memfd_create("layer", MFD_CLOEXEC);

	if (fd == -1 || pwrite(fd, im->data, im->len, 0) != (ssize_t)im->len)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

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
truncation(const struct image *im)
{
	char path[32];
	int fd = memory_file(im, path);
	struct k3_err err;
	size_t len;

	for (len = im->len; len-- > 0;)
		if (ftruncate(fd, (off_t)len) != 0 ||
		    check_file(path, &err) == 0 || err.code != EX_DATAERR ||
		    drain(im->data, len, &err) == 0 || err.code != EX_DATAERR)
			break;
	ok(len == SIZE_MAX, "cut at any byte it is refused");
	if (len != SIZE_MAX)
		diag("at %zu of %zu", len, im->len);
	close(fd);
}

static void
longer(const struct image *im)
{
	char path[32], *more = calloc(1, im->len + 4096);
	int fd = memory_file(im, path);
	struct k3_err err;

	memcpy(more, im->data, im->len);
	ok(drain(more, im->len + 1, &err) == -1 &&
		drain(more, im->len + 4096, &err) == -1 &&
		ftruncate(fd, (off_t)im->len + 1) == 0 &&
		check_file(path, &err) == -1,
	    "with something behind it it is refused: %s", err.msg);
	free(more);
	close(fd);
}

static void
flips(const struct image *im)
{
	char path[32];
	int fd = memory_file(im, path);
	struct k3_err err;
	size_t bit;

	for (bit = 0; bit < 8 * im->len; bit++) {
		char *c = &im->data[bit / 8], was = *c;
		bool bad;

		*c = (char)(was ^ 1 << bit % 8);
		bad = pwrite(fd, c, 1, (off_t)(bit / 8)) == 1 &&
		      check_file(path, &err) == -1 && err.code == EX_DATAERR &&
		      drain(im->data, im->len, &err) == -1 &&
		      err.code == EX_DATAERR;
		*c = was;
		if (!bad || pwrite(fd, c, 1, (off_t)(bit / 8)) != 1)
			break;
	}
	ok(bit == 8 * im->len, "with any bit flipped it is refused");
	if (bit != 8 * im->len)
		diag("bit %zu of byte %zu", bit % 8, bit / 8);
	close(fd);
}

/* Make the digests of head and trailer right again, as an enemy would. */
static void
forge(struct image *im)
{
	size_t n = im->len - 8, t = n - 24 - (size_t)8 * head.ntensor;

	k3_le_put64((uint8_t *)im->data + t + 16,
	    k3_digest64(im->data, K3_PAGE));
	k3_le_put64((uint8_t *)im->data + n, k3_digest64(im->data + t, n - t));
}

struct field {
	size_t off, len;
	const char *name;
};

/*
 * Only fields that nothing else determines may be changed unnoticed: there the
 * forger has written another, valid file.
 */
static void
fields(const struct image *im)
{
	static const struct field field[] = {
		{ 0, 8, "magic" },
		{ 8, 4, "version" },
		{ 12, 4, "kind" },
		{ 16, 4, "layer" },
		{ 20, 4, "tensors" },
		{ 40, 8, "offset of the payload" },
		{ 48, 8, "length of the payload" },
		{ 56, 4, "rows of a block" },
		{ 60, 4, "zero" },
		{ 64, 96, "name" },
		{ 64 + 96, 4, "dtype" },
		{ 64 + 100, 4, "encoding" },
		{ 64 + 104, 4, "grows" },
		{ 64 + 108, 4, "dimensions" },
		{ 64 + 112, 8, "dim 0" },
		{ 64 + 120, 8, "dim 1" },
		{ 64 + 136, 8, "dim 3" },
		{ 64 + 144, 8, "offset" },
		{ 64 + 152, 8, "length" },
		{ 64 + 160, 8, "stored" },
		{ 64 + 168, 24, "zero of an entry" },
		{ 256 + 104, 4, "grows of p" },
		{ 256 + 108, 4, "dimensions of p" },
		{ 256 + 112, 8, "dim 0 of p" },
		{ 256 + 120, 8, "dim 1 of p" },
		{ 256 + 152, 8, "length of p" },
	};
	static const uint8_t value[] = { 0, 1, 2, 0x7f, 0x80, 0xff };
	struct image m = { malloc(im->len), im->len };
	struct k3_err err;

	for (size_t i = 0; i < sizeof(field) / sizeof(field[0]); i++) {
		const struct field *f = &field[i];
		bool refused = true;

		for (size_t k = 0; k < 2 * sizeof(value); k++) {
			char path[32];
			int fd;

			memcpy(m.data, im->data, im->len);
			memset(m.data + f->off, k % 2 ? value[k / 2] : 0,
			    f->len);
			m.data[f->off] = (char)value[k / 2];
			if (memcmp(m.data, im->data, im->len) == 0 ||
			    (f->off == 12 && k < 6 && k > 1) ||
			    (f->off == 160 && k < 2) /* F32 for U32 */ ||
			    (f->off == 16 && k % 2 == 0) ||
			    (f->off == 16 && value[k / 2] == 0))
				continue;
			forge(&m);
			fd = memory_file(&m, path);
			if (check_file(path, &err) != -1 ||
			    drain(m.data, m.len, &err) != -1) {
				diag("%s = %d is taken", f->name, value[k / 2]);
				refused = false;
			}
			close(fd);
		}
		ok(refused, "a wrong %s is refused: %s", f->name, err.msg);
	}
	free(m.data);
}

/* Rows in the trailer that would make the size wrap. */
static void
row_counts(const struct image *im)
{
	static const uint64_t rows[] = { 0, 1, NROWS - 1, NROWS + 1, UINT64_MAX,
		UINT64_MAX / 3, UINT64_C(1) << 63, UINT64_C(1) << 56,
		UINT64_MAX / 448 };
	struct image m = { malloc(im->len), im->len };
	struct k3_err err;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char path[32];
		int fd;

		memcpy(m.data, im->data, im->len);
		k3_le_put64((uint8_t *)m.data + m.len - 24 -
				(size_t)8 * head.ntensor,
		    rows[i]);
		forge(&m);
		fd = memory_file(&m, path);
		ok(check_file(path, &err) == -1 &&
			drain(m.data, m.len, &err) == -1,
		    "%llu rows in the trailer are refused",
		    (unsigned long long)rows[i]);
		close(fd);
	}
	free(m.data);
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
	struct image im;

	fill();
	for (size_t nrow = 0; nrow <= NROWS; nrow++)
		round_trip(nrow);
	im = write_image(&head, NROWS, 3, 1000);
	longer(&im);
	fields(&im);
	row_counts(&im);
	bad_tables();
	full();
	not_files();
	example();
	truncation(&im);
	flips(&im);
	free(im.data);
	return tap_done();
}
