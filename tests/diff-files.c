/*
 * diff-files.c - k3-verify diff on layer files that no other tool writes
 *
 * The same tensors in another order and in other blocks are the same.  Of
 * drawn ones with drawn differences, where they part and how many there are is
 * what a slow definition says.  And files need not fit into memory.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "tests/tap.h"

#define TENSORS 5
#define ROWS    40
#define BYTES   4096 /* of a tensor, at most */

static struct k3_err err;
static char dir[] = "/tmp/k3-diff-XXXXXX";
static uint32_t seed = 7;

static uint32_t
draw(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % n;
}

/* A file in memory: tensors with the bytes of their elements. */
struct image {
	uint32_t n, rows;
	struct k3_layer_tensor tensor[TENSORS];
	uint8_t data[TENSORS][BYTES];
};

static void
draw_image(struct image *m)
{
	memset(m, 0, sizeof(*m));
	m->n = 1 + draw(TENSORS);
	m->rows = draw(ROWS + 1);
	for (uint32_t i = 0; i < m->n; i++) {
		struct k3_layer_tensor *t = &m->tensor[i];

		snprintf(t->name, sizeof(t->name), "t%" PRIu32, i);
		t->dtype = (enum k3_dtype)draw(K3_NDTYPE);
		t->grows = draw(2);
		t->ndim = 1 + draw(3);
		for (unsigned k = 0; k < t->ndim; k++)
			t->dim[k] = 1 + draw(k == 0 ? 20 : 5);
		for (size_t k = 0; k < BYTES; k++)
			m->data[i][k] = (uint8_t)draw(256);
	}
}

static uint64_t
row_elements(const struct k3_layer_tensor *t)
{
	uint64_t n = 1;

	for (unsigned i = t->ndim > 1 || t->grows; i < t->ndim; i++)
		n *= t->dim[i];
	return n;
}

static uint64_t
row_count(const struct image *m, uint32_t i)
{
	const struct k3_layer_tensor *t = &m->tensor[i];

	return t->grows ? m->rows : t->ndim == 1 ? 1 : t->dim[0];
}

/* Write it with its tensors turned by 'turn' places, in blocks. */
static void
write_image(const struct image *m, const char *name, uint32_t turn,
    uint32_t block)
{
	struct k3_layer_tensor t[TENSORS];
	struct k3_layer l = { .kind = K3_LAYER_HIDDEN,
		.layer = 3,
		.ntensor = m->n,
		.tensor = t };
	const void *row[TENSORS];
	struct k3_layer_writer *w;
	FILE *fp = fopen(name, "w");
	uint32_t n = 0;
	bool fine;

	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t from = (i + turn) % m->n;

		t[i] = m->tensor[from];
		if (t[i].grows) {
			l.block_rows = block;
			row[n++] = m->data[from];
		}
	}
	w = k3_layer_begin(&l, fp, name, &err);
	fine = w != NULL;
	for (uint32_t i = 0; fine && i < m->n; i++) {
		uint32_t from = (i + turn) % m->n;

		if (!t[i].grows)
			fine = k3_layer_put(w, m->data[from],
				   row_count(m, from) * row_elements(&t[i]) *
				       k3_dtype_size(t[i].dtype),
				   &err) == 0;
	}
	if (fine && n > 0)
		fine = k3_layer_put_rows(w, row, m->rows, &err) == 0;
	if (!fine || k3_layer_end(w, &err) != 0 || fclose(fp) != 0) {
		diag("%s", err.msg);
		abort();
	}
	k3_layer_writer_close(w);
}

/* Run it: its status, and the first and the last line that it printed. */
static int
run(const char *command, char first[256], char last[256])
{
	FILE *fp = popen(command, "r");
	char line[256];
	int status;

	first[0] = last[0] = '\0';
	if (fp == NULL)
		abort();
	while (fgets(line, sizeof(line), fp) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (first[0] == '\0')
			strcpy(first, line);
		strcpy(last, line);
	}
	status = pclose(fp);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Another bit in an element's highest byte, so that no NaN equals another. */
static void
flip(struct image *m, uint32_t i, uint64_t at)
{
	size_t size = k3_dtype_size(m->tensor[i].dtype);
	uint8_t *top = &m->data[i][(at + 1) * size - 1];

	*top = (uint8_t)(*top ^ 0x20);
}

/* Where two images part, and how many elements differ, by bytes alone. */
static uint64_t
part(const struct image *a, const struct image *b, char first[128])
{
	uint64_t n = 0, least = UINT64_MAX;

	for (uint32_t i = 0; i < a->n; i++) {
		const struct k3_layer_tensor *t = &a->tensor[i];
		uint64_t width = row_elements(t), all = row_count(a, i) * width;
		size_t size = k3_dtype_size(t->dtype);

		for (uint64_t k = 0; k < all; k++) {
			/* Fixed ones first, and then row by row. */
			uint64_t key =
			    (t->grows ? (1 + k / width) * TENSORS : 0) + i;

			if (memcmp(a->data[i] + k * size, b->data[i] + k * size,
				size) == 0)
				continue;
			n++;
			if (key >= least)
				continue;
			least = key;
			if (t->grows || t->ndim > 1)
				snprintf(first, 128,
				    "first: layer 3 %s %" PRIu64
				    " element %" PRIu64 " of %s:",
				    t->grows ? "token" : "row", k / width,
				    k % width, t->name);
			else
				snprintf(first, 128,
				    "first: layer 3 element %" PRIu64 " of %s:",
				    k, t->name);
		}
	}
	return n;
}

static void
drawn(void)
{
	static struct image a, b;
	char first[256], last[256], want[128], sum[128];
	int bad = 0;

	for (int turn = 0; turn < 60 && bad == 0; turn++) {
		uint64_t n;
		int status;

		draw_image(&a);
		b = a;
		for (uint32_t k = draw(4); k > 0; k--) {
			uint32_t i = draw(a.n);
			uint64_t all =
			    row_count(&a, i) * row_elements(&a.tensor[i]);

			if (all > 0)
				flip(&b, i, draw((uint32_t)all));
		}
		write_image(&a, "one", 0, 1 + draw(9));
		write_image(&b, "two", draw(a.n), 1 + draw(9));
		status =
		    run(turn % 2 ? "$K3_BIN/k3-verify diff one two"
				 : "cat one | $K3_BIN/k3-verify diff - two",
			first, last);
		n = part(&a, &b, want);
		snprintf(sum, sizeof(sum), "different: %" PRIu64 " of ", n);
		if (n == 0)
			bad = status != 0 || strncmp(first, "same: ", 6) != 0;
		else
			bad = status != 1 ||
			      strncmp(first, want, strlen(want)) != 0 ||
			      strncmp(last, sum, strlen(sum)) != 0;
		if (bad)
			diag("turn %d: status %d, '%s', '%s'; want '%s', '%s'",
			    turn, status, first, last, want, sum);
	}
	ok(!bad, "drawn files part where they should");
}

/* A file that is one hole with a number in it, and takes no room. */
static void
write_hole(const char *name, uint64_t len, uint64_t at, uint8_t byte)
{
	static uint8_t piece[1 << 20];
	struct k3_layer_tensor t = { .name = "x",
		.ndim = 1,
		.dim = { len / 4 } };
	struct k3_layer l = { .kind = K3_LAYER_TRUNK,
		.ntensor = 1,
		.tensor = &t };
	struct k3_digest *d = k3_digest_open(K3_DIGEST_64, &err);
	uint8_t head[4096], trail[64];
	FILE *fp = fopen(name, "w");
	uint64_t size;

	if (fp == NULL || d == NULL || k3_layer_arrange(&l, &err) != 0 ||
	    l.off != sizeof(head) || k3_form_trail_len(&l) > sizeof(trail))
		abort();
	size = k3_layer_size(&l, 0);
	for (uint64_t off = 0; off < len; off += sizeof(piece)) {
		if (at / sizeof(piece) == off / sizeof(piece))
			piece[at % sizeof(piece)] = byte;
		k3_digest_add(d, piece, sizeof(piece));
		piece[at % sizeof(piece)] = 0;
	}
	t.digest = k3_digest_get64(d);
	k3_digest_close(d);
	k3_form_put_head(&l, head);
	l.head_digest = k3_digest64(head, sizeof(head));
	k3_form_put_trail(&l, trail);
	if (fwrite(head, 1, sizeof(head), fp) != sizeof(head) ||
	    fseeko(fp, (off_t)(l.off + at), SEEK_SET) != 0 ||
	    putc(byte, fp) == EOF ||
	    fseeko(fp, (off_t)(size - k3_form_trail_len(&l)), SEEK_SET) != 0 ||
	    fwrite(trail, 1, k3_form_trail_len(&l), fp) !=
		k3_form_trail_len(&l) ||
	    fclose(fp) != 0)
		abort();
}

/* Emulators and sanitizers map more than that, whatever the tool does. */
#define LIMIT "ulimit -v 32768; "

static void
holes(void)
{
	const uint64_t len = (uint64_t)256 << 20;
	char first[256], last[256];
	int status;

	if (run(LIMIT "$K3_BIN/k3-verify -V 2>&1", first, last) != 0) {
		skip("files need not fit into memory",
		    "nothing runs within 32 MB here");
		return;
	}
	write_hole("one", len, len - 5, 0);
	write_hole("two", len, len - 5, 0x3f);
	status = run(LIMIT "$K3_BIN/k3-verify diff one two", first, last);
	if (!ok(status == 1 &&
		    strcmp(first, "first: layer 0 element 67108862 of x: 0 and "
				  "0.5") == 0 &&
		    strcmp(last, "different: 1 of 67108864 elements") == 0,
		"layer files need not fit into memory"))
		diag("%d '%s' '%s'", status, first, last);
	if (truncate("one", 0) != 0 || truncate("one", (off_t)len) != 0 ||
	    truncate("two", 0) != 0 || truncate("two", (off_t)len + 8) != 0)
		abort();
	status = run(LIMIT "$K3_BIN/k3-verify diff one two", first, last);
	if (!ok(status == 1 &&
		    strcmp(first,
			"'one' ends after 67108864 elements, 'two' goes "
			"on") == 0 &&
		    strcmp(last, "different: 0 of 67108864 elements") == 0,
		"nor need logits"))
		diag("%d '%s' '%s'", status, first, last);
}

int
main(void)
{
	if (getenv("K3_BIN") == NULL || mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	drawn();
	holes();
	for (const char *const *f = (const char *const[]){ "one", "two", NULL };
	     *f != NULL; f++)
		unlink(*f);
	rmdir(dir);
	return tap_done();
}
