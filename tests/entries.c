/*
 * entries.c - k3-verify reads tensors, experts and rows, each once and whole
 *
 * The file is cut after the first entry was read.  Then rows before the cut are
 * right, though they came in a block that could not be read, and those behind
 * it are named.
 */
#include <fcntl.h>

#include "tests/shards.h"
#include "tests/tap.h"
#include "tools/verify.h"

#define HIDDEN 512
#define VOCAB  9000
#define ROW    (HIDDEN * sizeof(uint16_t))

/* In the second block, in the middle of a row. */
#define CUT ((uint64_t)5000)

static struct k3_err err;
static struct verify v = { .quiet = true };
static char path[128];
static uint64_t embedding; /* where it begins */

static struct {
	struct verify_entries e;
	uint64_t n, rows, unread, wrong; /* entries; of them rows; ... */
	bool cut;
	unsigned step; /* which rows are left out; 0: none */
} seen;

/* The bytes of row 'id': its number, and zeros. */
static uint64_t
digest_of(uint32_t id)
{
	uint8_t row[ROW] = { 0 };

	memcpy(row, &id, sizeof(id));
	return k3_digest64(row, sizeof(row));
}

static void
on_row(uint32_t id, uint64_t digest, const struct k3_err *why)
{
	char want[32];

	snprintf(want, sizeof(want), "weight row %u)", id);
	seen.rows++;
	if (why == NULL)
		seen.wrong += digest != digest_of(id);
	else
		seen.wrong += id < CUT || strstr(why->msg, want) == NULL;
}

static void
on_entry(void *arg, uint64_t entry, uint64_t digest, const struct k3_err *why)
{
	struct k3_sidecar_entry e = k3_sidecar_at(seen.e.sidecar, entry);

	(void)arg;
	seen.wrong += entry != seen.e.order[seen.n];
	if (seen.cut && seen.n == 0 &&
	    truncate(path, (off_t)(embedding + CUT * ROW + 9)) != 0)
		abort();
	seen.n++;
	seen.unread += why != NULL;
	if (e.t == K3_T_EMBED)
		on_row(e.number, digest, why);
}

static bool
keep(void *arg, uint64_t entry)
{
	struct k3_sidecar_entry e = k3_sidecar_at(seen.e.sidecar, entry);

	(void)arg;
	return e.t != K3_T_EMBED || seen.step == 0 || e.number % seen.step != 3;
}

/* All that are kept come, in their order. */
static bool
read_all(unsigned step, bool cut)
{
	memset(&seen, 0, sizeof(seen));
	seen.e.entry = on_entry;
	seen.step = step;
	seen.cut = cut;
	verify_entries_open(&v, &seen.e);
	verify_entries_choose(&seen.e, keep);
	verify_entries_read(&v, &seen.e);
	diag("%" PRIu64 " entries, rows %" PRIu64 ", unread %" PRIu64
	     ", wrong %" PRIu64,
	    seen.n, seen.rows, seen.unread, seen.wrong);
	return seen.n == seen.e.n && seen.wrong == 0;
}

/* In each row of the embedding stands its number. */
static void
write_model(struct shards *s)
{
	char name[K3_NAME_MAX];
	struct k3_loc loc;
	int fd;

	shards_write(s);
	shards_path(s, 0, path);
	if ((v.st = k3_st_open(s->dir, &v.cfg, &err)) == NULL ||
	    (fd = open(path, O_WRONLY | O_CLOEXEC)) == -1)
		abort();
	loc = k3_st_tensor(v.st, v.cfg.nlayer, K3_T_EMBED);
	embedding = loc.off;
	k3_tensor_name(v.cfg.nlayer, K3_T_EMBED, name);
	for (uint32_t id = 0; id < VOCAB; id++) {
		uint8_t row[ROW] = { 0 };

		memcpy(row, &id, sizeof(id));
		if (pwrite(fd, row, ROW, (off_t)(loc.off + id * ROW)) !=
		    (ssize_t)ROW)
			abort();
	}
	close(fd);
}

int
main(void)
{
	static struct shards s;

	shards_config(&v.cfg);
	v.cfg.hidden = HIDDEN;
	v.cfg.vocab = VOCAB;
	shards_fill(&s, &v.cfg);
	v.model = s.dir;
	write_model(&s);
	ok(read_all(0, false) && seen.rows == VOCAB && seen.unread == 0, "all");
	verify_entries_close(&seen.e);
	ok(read_all(7, false) && seen.rows == VOCAB - (VOCAB + 3) / 7 &&
		seen.unread == 0,
	    "some rows are left out");
	verify_entries_close(&seen.e);
	ok(read_all(0, true) && seen.rows == VOCAB &&
		seen.unread > VOCAB - CUT && seen.unread < VOCAB - CUT + 99,
	    "of rows in a block that is cut off, those that are there");
	verify_entries_close(&seen.e);
	k3_st_close(v.st);
	shards_remove(&s);
	return tap_done();
}
