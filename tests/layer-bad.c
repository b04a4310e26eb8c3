/*
 * layer-bad.c - layer files cut, flipped and forged
 */
#include "common/le.h"
#include "tests/layer-image.h"

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

int
main(void)
{
	struct image im;

	fill();
	im = write_image(&head, NROWS, 3, 1000);
	longer(&im);
	fields(&im);
	row_counts(&im);
	truncation(&im);
	flips(&im);
	free(im.data);
	return tap_done();
}
