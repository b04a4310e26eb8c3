/*
 * sidecar.c - digests of a model: written, read, compared; and bad files
 */
#include <fcntl.h>

#include "common/sidecar.h"
#include "tests/shards.h"
#include "tests/tap.h"

static const uint8_t print[K3_DIGEST128] = "a fingerprint..";
static struct k3_cfg cfg;
static struct shards s;
static struct k3_err err;
static struct k3_st *st;
static char path[64];
static char *text; /* of a good file */
static size_t size;

/* The bytes of an entry, in order. */
static size_t
gather(const struct k3_sidecar *sc, uint64_t i, uint8_t *buf)
{
	struct k3_loc loc[K3_NPART];
	unsigned n = k3_sidecar_places(sc, st, i, loc);
	size_t at = 0;

	for (unsigned k = 0; k < n; at += loc[k++].len)
		if (k3_st_read(st, loc[k].file, loc[k].off, buf + at,
			loc[k].len, "test", &err) != 0)
			abort();
	return at;
}

static struct k3_sidecar *
make(void)
{
	struct k3_sidecar *sc = k3_sidecar_open(&cfg, print, &err);
	uint8_t buf[8192];

	if (sc == NULL)
		abort();
	for (uint64_t i = 0; i < k3_sidecar_count(sc); i++)
		k3_sidecar_set(sc, i, k3_digest64(buf, gather(sc, i, buf)));
	return sc;
}

static void
save(const char *data, size_t len)
{
	FILE *fp = fopen(path, "wb");

	if (fp == NULL || fwrite(data, 1, len, fp) != len || fclose(fp) != 0)
		abort();
}

static uint64_t
number_of(const struct k3_sidecar *sc, struct k3_sidecar_entry e)
{
	if (e.t == K3_NTENSOR)
		return k3_sidecar_expert(sc, e.layer, e.number);
	if (e.t == K3_T_EMBED)
		return k3_sidecar_row(sc, e.number);
	return k3_sidecar_tensor(sc, e.layer, (enum k3_tensor)e.t);
}

/* Each row of the embedding is an entry, and holds what was written there. */
static bool
has_rows(const struct k3_sidecar *sc)
{
	const size_t n = cfg.hidden * sizeof(uint16_t);
	uint8_t buf[8192];
	char name[K3_NAME_MAX];
	bool good = true;

	k3_tensor_name(cfg.nlayer, K3_T_EMBED, name);
	for (uint32_t id = 0; id < cfg.vocab; id++) {
		good = good && gather(sc, k3_sidecar_row(sc, id), buf) == n;
		for (size_t i = 0; i < n; i++)
			good = good && buf[i] == shards_byte(name, id * n + i);
	}
	return good;
}

static void
check_numbers(void)
{
	struct k3_sidecar *sc = make();
	uint64_t n = k3_sidecar_count(sc);
	uint32_t *order = calloc(n, sizeof(*order));
	uint64_t key, last = 0;
	bool good = true;

	/* Each number is what it says, and none is left over. */
	for (uint64_t i = 0; i < n; i++) {
		struct k3_sidecar_entry e = k3_sidecar_at(sc, i);

		good = good && i == number_of(sc, e);
	}
	ok(good && n == k3_st_needed(st) - 1 + cfg.vocab -
			    (uint64_t)(cfg.nlayer - cfg.ndense) * cfg.experts *
				(K3_NPART - 1),
	    "entries are numbered");
	ok(has_rows(sc), "those of the embedding are its rows");
	good = k3_sidecar_by_place(sc, st, order, &err) == 0;
	for (uint64_t i = 0; i < n; i++) {
		struct k3_loc loc[K3_NPART];

		k3_sidecar_places(sc, st, order[i], loc);
		key = (uint64_t)loc[0].file << 48 | loc[0].off;
		good = good && (i == 0 || key > last);
		last = key;
	}
	ok(good, "and can be had in the order of their places");
	ok(k3_sidecar_memory(sc) >= 9 * n, "they take memory");
	free(order);
	k3_sidecar_close(sc);
}

static void
check_file(void)
{
	struct k3_sidecar *sc = make(),
			  *in = k3_sidecar_open(&cfg, print, &err);
	FILE *fp = open_memstream(&text, &size);
	uint64_t used = 0;
	bool foreign, good;

	good = k3_sidecar_put(sc, fp) == 0;
	fclose(fp);
	save(text, size);
	good = good && k3_sidecar_load(in, path, &foreign, &err) == 0;
	for (uint64_t i = 0; good && i < k3_sidecar_count(sc); i++) {
		uint8_t buf[8192];
		uint64_t d = k3_digest64(buf, gather(sc, i, buf));

		good = k3_sidecar_has(in, i) &&
		       k3_sidecar_compare(in, i, d, st, &err) == 0 &&
		       k3_sidecar_compare(in, i, d + 1, st, &err) != 0;
	}
	if (!ok(good, "what is written is read"))
		diag("%s", err.msg);
	ok(strstr(err.msg, "embed_tokens.weight row 2: digest is") != NULL,
	    "a difference is named: %s", err.msg);
	k3_sidecar_close(in);

	in = k3_sidecar_open(&cfg, print, &err);
	fp = fopen(path, "wb");
	k3_sidecar_put_head(sc, fp);
	k3_sidecar_put_line(sc, 9, fp);
	k3_sidecar_put_line(sc, 3, fp);
	fputs("0\ttorn", fp);
	fclose(fp);
	good = k3_sidecar_resume(in, path, &used, &err) == 0 &&
	       k3_sidecar_has(in, 9) && k3_sidecar_has(in, 3) &&
	       !k3_sidecar_has(in, 4);
	fp = fopen(path, "rb");
	fseek(fp, 0, SEEK_END);
	ok(good && used + 6 == (uint64_t)ftell(fp),
	    "an unfinished one, whose last line is torn");
	fclose(fp);
	k3_sidecar_close(in);
	k3_sidecar_close(sc);
}

/* The good file with one change. */
static void
bad(const char *name, size_t at, size_t drop, const char *put, const char *want)
{
	struct k3_sidecar *sc = k3_sidecar_open(&cfg, print, &err);
	size_t n = strlen(put);
	char *data = malloc(size + n + 1);
	bool foreign, good;

	memcpy(data, text, at);
	memcpy(data + at, put, n);
	memcpy(data + at + n, text + at + drop, size - at - drop);
	save(data, size + n - drop);
	good = k3_sidecar_load(sc, path, &foreign, &err) == -1 &&
	       err.code == EX_DATAERR && strstr(err.msg, want) != NULL;
	if (!ok(good, "%s: %s", name, err.msg))
		diag("want %s", want);
	free(data);
	k3_sidecar_close(sc);
}

/* Where line 'n', from 1, begins. */
static size_t
line(unsigned n)
{
	const char *p = text;

	while (--n > 0)
		p = strchr(p, '\n') + 1;
	return (size_t)(p - text);
}

static void
check_bad(void)
{
	size_t expert = (size_t)(strstr(text, "\n1\t3\t") + 1 - text);
	size_t next = (size_t)(strstr(text, "\n1\t4\t") + 1 - text);
	size_t row = (size_t)(strstr(text, "\n3\t1\t") + 1 - text);
	size_t next_row = (size_t)(strstr(text, "\n3\t2\t") + 1 - text);
	struct k3_sidecar *sc;
	char twice[512];
	bool foreign;

	bad("empty", 0, size, "", "does not begin");
	bad("another format", 1, 1, "x", "does not begin");
	bad("another version", 12, 1, "2", "does not begin");
	bad("another fingerprint", 26, 1, "f", "fingerprint f1");
	bad("only a fingerprint", line(2) - 20, 19, "", "another model: ''");
	bad("other layers", line(2) - 11, 1, "4", "want 'layers=3");
	bad("a line is missing", line(4), line(5) - line(4), "",
	    "line 4: it stands in the wrong place");
	snprintf(twice, sizeof(twice), "%.*s", (int)(line(5) - line(4)),
	    text + line(4));
	bad("a line twice", line(4), 0, twice,
	    "line 5: it stands in the wrong place");
	bad("a line too many", size, 0, "3\tx\t0\n", "not a layer");
	bad("an expert is missing", expert, next - expert, "", "wrong place");
	bad("an expert too many", expert + 2, 1, "6", "no such expert");
	bad("a wrapped number", expert + 2, 1, "4294967299", "no such expert");
	bad("a leading zero", expert + 2, 0, "0", "no such expert");
	bad("a row is missing", row, next_row - row, "", "wrong place");
	bad("a row too many", next_row + 2, 1, "3", "no such row");
	bad("a row with a leading zero", row + 2, 0, "0", "no such row");
	bad("rows as a tensor", row + 2, 1,
	    "language_model.model.embed_tokens.weight", "no such tensor");
	bad("a layer too many", line(3), 1, "4", "no such layer");
	bad("a tensor of another layer", line(3), 1, "1", "no such tensor");
	bad("an unknown tensor", line(3) + 2, 1, "x", "no such tensor");
	bad("a digest too short", line(3) - 2, 1, "", "not a layer");
	bad("a digest too long", line(3) - 1, 0, "0", "not a layer");
	bad("upper case", line(3) - 2, 1, "A", "not a layer");
	bad("no last newline", size - 1, 1, "", "ends after");
	bad("the last line is missing", next_row, size - next_row, "",
	    "ends after");
	save(text, size);
	if (truncate(path, 1 << 20) != 0)
		abort();
	sc = k3_sidecar_open(&cfg, print, &err);
	ok(k3_sidecar_load(sc, path, &foreign, &err) == -1 &&
		strstr(err.msg, "more than") != NULL,
	    "much too long: %s", err.msg);
	k3_sidecar_close(sc);
}

/* Cut at each byte: refused, whatever is left. */
static void
check_cuts(void)
{
	struct k3_sidecar *sc = k3_sidecar_open(&cfg, print, &err);
	bool foreign, good = true;
	uint64_t used;

	for (size_t n = 0; n < size; n += n < 600 ? 1 : 7) {
		save(text, n);
		good = good &&
		       k3_sidecar_load(sc, path, &foreign, &err) == -1 &&
		       !foreign;
		k3_sidecar_close(sc);
		sc = k3_sidecar_open(&cfg, print, &err);
		good = good && (k3_sidecar_resume(sc, path, &used, &err) ==
				   0) == (n >= line(2));
	}
	ok(good, "cut anywhere, it is not whole, and can be gone on with");
	k3_sidecar_close(sc);
}

static void
check_rows(void)
{
	struct k3_sidecar *sc = make();
	uint8_t buf[8192];

	gather(sc, k3_sidecar_row(sc, 1), buf);
	ok(k3_sidecar_check_row(sc, st, 2, buf, &err) == -1 &&
		strstr(err.msg, "embed_tokens.weight row 2: digest") != NULL,
	    "another row: %s", err.msg);
	ok(k3_sidecar_check_row(sc, st, 1, buf, &err) == 0, "a row");
	buf[0] ^= 1;
	ok(k3_sidecar_check_row(sc, st, 1, buf, &err) == 0,
	    "a row that was right is not looked at again");
	k3_sidecar_close(sc);
}

static void
check_data(void)
{
	struct k3_sidecar *sc = make();
	uint8_t buf[8192], apart[8192], *part[K3_NPART], *other[K3_NPART];
	uint64_t i = k3_sidecar_expert(sc, 2, 5), at = 0, n;
	const enum k3_tensor t = K3_T_LM_HEAD;

	gather(sc, i, buf);
	for (unsigned p = 0; p < K3_NPART; p++) {
		uint64_t len = k3_st_part(st, 2, 5, (enum k3_part)p).len;

		part[p] = buf + at;
		other[p] = apart + sizeof(apart) - at - len;
		memcpy(other[p], part[p], len);
		at += len;
	}
	*other[4] ^= 1;
	ok(k3_sidecar_check_expert(sc, st, 2, 5, other, &err) == -1 &&
		strstr(err.msg, "layer 2 expert 5: digest is") != NULL,
	    "a bad expert: %s", err.msg);
	*other[4] ^= 1;
	ok(k3_sidecar_check_expert(sc, st, 2, 5, other, &err) == 0,
	    "its parts are apart");
	*part[0] ^= 1;
	ok(k3_sidecar_check_expert(sc, st, 2, 5, part, &err) == 0,
	    "what was right is not looked at again");
	gather(sc, k3_sidecar_expert(sc, 2, 4), buf);
	ok(k3_sidecar_check_expert(sc, st, 2, 4, part, &err) == 0,
	    "its parts are together");

	n = gather(sc, k3_sidecar_tensor(sc, 3, t), buf);
	ok(k3_sidecar_check_piece(sc, st, 3, t, 4, buf, n - 4, &err) == 0,
	    "a piece alone says nothing");
	buf[n - 1] ^= 1;
	ok(k3_sidecar_check_piece(sc, st, 3, t, 0, buf, 4, &err) == 0 &&
		k3_sidecar_check_piece(sc, st, 3, t, 4, buf + 4, n - 4, &err) ==
		    -1,
	    "the last piece tells: %s", err.msg);
	buf[n - 1] ^= 1;
	ok(k3_sidecar_check_piece(sc, st, 3, t, 0, buf + 1, 4, &err) == 0 &&
		k3_sidecar_check_piece(sc, st, 3, t, 0, buf, 2, &err) == 0 &&
		k3_sidecar_check_piece(sc, st, 3, t, 2, buf + 2, n - 2, &err) ==
		    0,
	    "a second beginning counts");
	ok(k3_sidecar_check_tensor(sc, st, 3, t, "", &err) == 0,
	    "and that is known");
	gather(sc, k3_sidecar_tensor(sc, 0, K3_T_Q), buf);
	ok(k3_sidecar_check_tensor(sc, st, 0, K3_T_Q, buf, &err) == 0,
	    "a tensor");
	buf[0] ^= 0x80;
	ok(k3_sidecar_check_tensor(sc, st, 0, K3_T_K, buf, &err) == -1,
	    "another: %s", err.msg);
	k3_sidecar_close(sc);
}

int
main(void)
{
	shards_config(&cfg);
	shards_fill(&s, &cfg);
	s.nfile = 3;
	for (unsigned i = 0; i < s.n; i++)
		s.t[i].file = i * 7 % 3;
	shards_write(&s);
	snprintf(path, sizeof(path), "%s/digests", s.dir);
	if ((st = k3_st_open(s.dir, &cfg, &err)) == NULL)
		return 1;
	check_numbers();
	check_file();
	check_bad();
	check_cuts();
	check_data();
	check_rows();
	k3_st_close(st);
	free(text);
	shards_remove(&s);
	return tap_done();
}
