/*
 * session-bad.c - sessions that are cut, flipped and forged
 */
#include <math.h>

#include "tests/session-image.h"
#include "tests/tap.h"

/* In the middle of a prompt's pass: all tensors but logits have elements. */
static const struct k3_session whole = {
	.line = UINT64_C(0x100000002),
	.n = 5,
	.position = 2,
	.prompt = 5,
	.count = 64,
	.output = K3_SESSION_SOME,
	.rows = 2,
	.half = 5,
};

static struct k3_cfg cfg;
static struct image_room full, room;
static struct k3_err err;

static bool
same_numbers(const struct k3_session *a, const struct k3_session *b)
{
	return a->line == b->line && a->n == b->n &&
	       a->position == b->position && a->prompt == b->prompt &&
	       a->count == b->count && a->output == b->output &&
	       a->rows == b->rows && a->half == b->half;
}

/* Does 'room' hold what is in 'full', as far as it is part of 's'? */
static bool
same_parts(const struct k3_session *s)
{
	uint32_t rows = s->rows * IMAGE_HIDDEN, lat = s->position * 3;
	unsigned nsnap = ((s->half + 1) / 2 + 1) / 2;
	bool same =
	    memcmp(full.ids, room.ids, s->n * 4) == 0 &&
	    memcmp(full.state.kda, room.state.kda, k3_state_bytes(&cfg)) == 0 &&
	    memcmp(full.prefix, room.prefix, rows * 4) == 0;

	for (unsigned i = 0; i < nsnap; i++)
		same =
		    same && memcmp(full.snap[i], room.snap[i], rows * 4) == 0;
	for (unsigned i = 1; i < cfg.nlayer; i += 2)
		same = same && memcmp(k3_state_latents(&full.state, i),
				   k3_state_latents(&room.state, i),
				   (s->half > 2 * i ? lat + s->rows * 3 : lat) *
				       4) == 0;
	if (s->n > 0 && s->position == s->n)
		same = same && memcmp(full.logits, room.logits,
				   sizeof(full.logits)) == 0;
	return same && room.state.pos == s->position;
}

static void
round_trip(const char *what, const struct k3_session *s)
{
	struct k3_session got;
	char path[32], *data;
	size_t len;
	int fd;

	data = image_write(s, &full, &len);
	fd = image_file(data, len, path);
	if (!ok(image_read(path, &room, &got, &err) == 0 &&
		    same_numbers(s, &got) && same_parts(s),
		"%s is read as it was written", what))
		diag("%s", err.msg);
	close(fd);
	free(data);
}

static void
round_trips(void)
{
	struct k3_session s = whole;

	round_trip("a pass in work", &s);
	s.half = 8;
	round_trip("a pass but for its logits", &s);
	s.half = s.rows = 0;
	round_trip("a prompt between two passes", &s);
	s.position = 5;
	round_trip("a prompt, all consumed", &s);
	s.prompt = 3;
	s.output = K3_SESSION_ENDED;
	round_trip("a line that was ended", &s);
	s.position = 4;
	round_trip("an ID that was chosen", &s);
	s.n = IMAGE_MOST + 1;
	s.position = IMAGE_MOST;
	round_trip("a full context", &s);
	s = (struct k3_session){ .line = 1 };
	round_trip("no IDs at all", &s);
}

static void
truncation(const char *data, size_t len)
{
	char path[32];
	int fd = image_file(data, len, path);
	struct k3_session s;
	size_t n = len;

	while (n-- > 0)
		if (ftruncate(fd, (off_t)n) != 0 ||
		    image_read(path, &room, &s, &err) == 0 ||
		    err.code != EX_DATAERR)
			break;
	ok(n == SIZE_MAX, "cut at any byte it is refused");
	if (n != SIZE_MAX)
		diag("at %zu of %zu", n, len);
	close(fd);
	fd = image_file(data, len, path);
	ok(ftruncate(fd, (off_t)len + 1) == 0 &&
		image_read(path, &room, &s, &err) == -1,
	    "with something behind it it is refused: %s", err.msg);
	close(fd);
}

/* What is not told apart is padding, which nobody reads. */
static void
flips(char *data, size_t len)
{
	char path[32];
	int fd = image_file(data, len, path);
	struct k3_session s;
	size_t bit, same = 0;

	for (bit = 0; bit < 8 * len; bit++) {
		char c = (char)(data[bit / 8] ^ 1 << bit % 8);
		bool fine;

		if (pwrite(fd, &c, 1, (off_t)(bit / 8)) != 1)
			break;
		fine = image_read(path, &room, &s, &err) == 0;
		if (fine && (!same_numbers(&s, &whole) || !same_parts(&whole)))
			break;
		if (!fine && err.code != EX_DATAERR)
			break;
		same += fine;
		if (pwrite(fd, &data[bit / 8], 1, (off_t)(bit / 8)) != 1)
			break;
	}
	ok(bit == 8 * len, "with any bit flipped it is refused or the same");
	diag("%zu of %zu bits are padding", same, 8 * len);
	close(fd);
}

/* Where a tensor's bytes stand in the file. */
static uint64_t
find(const char *data, size_t len, const char *name, uint64_t *bytes)
{
	char path[32];
	int fd = image_file(data, len, path);
	struct k3_layer *l = k3_layer_open(path, &err);
	const struct k3_layer_tensor *t;
	uint64_t at = 0;

	if (l == NULL || (t = k3_layer_find(l, name)) == NULL)
		abort();
	/* Of those that grow, the second position of the first block. */
	at = l->off + t->off;
	if (t->grows)
		at = l->off + l->len + K3_FORM_BLOCK + 12 +
		     (strcmp(name, "layers.3.latents") == 0 ? K3_ALIGN : 0);
	*bytes = t->len;
	k3_layer_close(l);
	close(fd);
	return at;
}

/* Write 'value' at a byte of a copy, make the digests right, and read. */
static bool
refused(const char *data, size_t len, uint64_t at, const void *value, size_t n)
{
	uint8_t *copy = malloc(len);
	struct k3_session s;
	char path[32];
	bool bad;
	int fd;

	if (copy == NULL)
		abort();
	memcpy(copy, data, len);
	memcpy(copy + at, value, n);
	image_forge(copy, len);
	fd = image_file(copy, len, path);
	bad = image_read(path, &room, &s, &err) == -1 && err.code == EX_DATAERR;
	close(fd);
	free(copy);
	return bad;
}

static void
numbers(const char *data, size_t len)
{
	static const struct {
		const char *what;
		unsigned at;
		uint32_t value;
	} bad[] = {
		{ "no IDs", 2, 0 },
		{ "fewer IDs", 2, 4 },
		{ "more IDs", 2, 6 },
		{ "more IDs than positions", 2, IMAGE_MOST + 2 },
		{ "very many IDs", 2, UINT32_MAX },
		{ "no position", 3, 0 },
		{ "an earlier position", 3, 1 },
		{ "a later position", 3, 3 },
		{ "a position behind the IDs", 3, 6 },
		{ "a very late position", 3, UINT32_MAX },
		{ "no prompt", 4, 0 },
		{ "a shorter prompt", 4, 4 },
		{ "a longer prompt", 4, 6 },
		{ "a very long prompt", 4, UINT32_MAX },
		{ "an end behind which a pass is in work", 6, 2 },
		{ "another output", 6, 3 },
		{ "a very different output", 6, UINT32_MAX },
		{ "no rows", 7, 0 },
		{ "fewer rows", 7, 1 },
		{ "more rows", 7, 3 },
		{ "more rows than IDs", 7, 4 },
		{ "very many rows", 7, UINT32_MAX },
		{ "no half-layers", 8, 0 },
		{ "fewer snapshots", 8, 4 },
		{ "fewer layers", 8, 3 },
		{ "more layers than there are", 8, 9 },
		{ "very many layers", 8, UINT32_MAX },
	};
	uint64_t bytes, at = find(data, len, "numbers", &bytes);
	uint32_t one = 1;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(refused(data, len, at + 4 * bad[i].at, &bad[i].value, 4),
		    "%s: %s", bad[i].what, err.msg);
	at = find(data, len, "sampler", &bytes);
	ok(refused(data, len, at, &one, 4), "another sampler: %s", err.msg);
}

/* Something that is not a number, first and last, in each tensor. */
static void
not_finite(const char *data, size_t len)
{
	static const char *const name[] = { "prefix", "snapshots",
		"layers.0.kda", "layers.0.conv", "layers.1.latents",
		"layers.2.kda", "layers.2.conv", "layers.3.latents" };
	static const float value[] = { INFINITY, -INFINITY, NAN };
	uint64_t bytes, at;
	float one = 1;

	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		bool bad = true;

		at = find(data, len, name[i], &bytes);
		for (int k = 0; k < 3; k++)
			bad = bad && refused(data, len, at, &value[k], 4) &&
			      strstr(err.msg, name[i]) != NULL;
		ok(bad, "a number of %s: %s", name[i], err.msg);
	}
	/* Layer 3 has not been passed: its rows from position 2 on are zero. */
	at = find(data, len, "layers.3.latents", &bytes);
	ok(!refused(data, len, at, &one, 4) &&
		refused(data, len, at + 12, &one, 4),
	    "latents of a layer to come: %s", err.msg);
}

static void
tables(const char *data, size_t len)
{
	static const struct {
		const char *what;
		uint64_t at;
		uint32_t value;
	} bad[] = {
		{ "another kind", 12, 3 },
		{ "a layer", 16, 1 },
		{ "another fingerprint", 24, 0 },
		{ "other blocks", 56, 8 },
		{ "another name", 64, 0x6e756e },
		{ "another dtype", 64 + 192 + 96, K3_F32 },
		{ "bytes of hidden states", 64 + 192 * 4 + 96, K3_U8 },
		{ "state in U32", 64 + 192 * 6 + 96, K3_U32 },
		{ "other dimensions", 64 + 192 * 6 + 112, 3 },
		{ "latents that do not grow", 64 + 192 * 8 + 104, 0 },
	};
	uint64_t bytes, at = find(data, len, "ids", &bytes);
	uint32_t vocab = IMAGE_VOCAB;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(refused(data, len, bad[i].at, &bad[i].value, 4), "%s: %s",
		    bad[i].what, err.msg);
	ok(refused(data, len, at, &vocab, 4) &&
		refused(data, len, at + bytes - 4, &vocab, 4),
	    "an ID outside the vocabulary: %s", err.msg);
}

static void
others(const char *data, size_t len)
{
	uint8_t print[K3_DIGEST128] = { 1 };
	struct k3_session_file *f;
	struct k3_state small;
	struct k3_session s;
	char path[32];
	int fd = image_file(data, len, path);

	ok(k3_session_open(path, &cfg, print, &s, &err) == NULL &&
		err.code == EX_DATAERR,
	    "a session of another model: %s", err.msg);
	ok(k3_session_open("/no/such", &cfg, print, &s, &err) == NULL &&
		err.code == EX_NOINPUT,
	    "a file that is not there: %s", err.msg);
	f = k3_session_open(path, &cfg, image_print, &s, &err);
	if (f == NULL || k3_state_init(&small, &cfg, 3, &err) != 0)
		abort();
	ok(k3_session_get_state(f, &small, &err) == -1 &&
		err.code == EX_UNAVAILABLE,
	    "too small a context: %s", err.msg);
	k3_state_fini(&small);
	k3_session_close(f);
	close(fd);
}

static void
not_written(void)
{
	struct k3_session_parts parts = { &cfg, image_print, full.ids,
		&full.state, NULL, NULL };
	struct k3_session s = { .n = 0 };

	full.state.pos = 0;
	ok(k3_session_save("/dev/full", &s, &parts, NULL, &err) == -1 &&
		err.code == EX_IOERR,
	    "a full disk: %s", err.msg);
	ok(k3_session_save("/no/such", &s, &parts, NULL, &err) == -1 &&
		err.code == EX_CANTCREAT,
	    "no folder: %s", err.msg);
}

int
main(void)
{
	char *data;
	size_t len;

	image_config(&cfg);
	image_room(&full, &cfg);
	image_room(&room, &cfg);
	image_fill(&full);
	round_trips();
	not_written();
	data = image_write(&whole, &full, &len);
	others(data, len);
	numbers(data, len);
	not_finite(data, len);
	tables(data, len);
	truncation(data, len);
	flips(data, len);
	free(data);
	k3_state_fini(&full.state);
	k3_state_fini(&room.state);
	return tap_done();
}
