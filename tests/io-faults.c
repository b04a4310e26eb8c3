/*
 * io-faults.c - what a disk does wrong is said, and nothing hangs
 */
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/faulty.h"
#include "tests/io-place.h"
#include "tests/tap.h"

#define SIZE   ((uint64_t)1 << 20)
#define PIECE  ((size_t)16384)
#define NPIECE 64

/* Seconds; where nothing is to be waited for, the usual minute. */
#define SHORT 0.3

static char dir[] = "/var/tmp/k3-io-XXXXXX";
static char path[64];
static struct k3_io_file *file;
static struct place place[NPIECE];

/* In place of libaio's: a machine without aio. */
int io_setup(int depth, void **context);

int
io_setup(int depth, void **context)
{
	(void)depth;
	(void)context;
	return -ENOSYS;
}

static void
check_no_aio(void)
{
	struct k3_io_ask ask = { 0 };
	struct k3_err e = { 0 };
	struct k3_io *io = k3_io_open(&ask, &e);
	char note[256] = "";

	ok(io != NULL && strcmp(k3_io_name(io), "pread") == 0,
	    "without aio threads read");
	if (!ok(io != NULL && k3_io_note(io, note, sizeof(note)) &&
		    strcmp(note, "no asynchronous reads here: Function not "
				 "implemented") == 0,
		"and there is a note"))
		diag("%s%s", note, e.msg);
	k3_io_close(io);
}

/* The faults begin after the piece that opening the file reads. */
static struct k3_io *
start(const struct k3_io_engine *engine, struct faults *f, unsigned depth,
    double timeout)
{
	struct k3_io_ask ask = { engine, f, depth, PIECE, timeout };
	struct k3_io *io;
	struct k3_err e;

	f->from = 1;
	io = k3_io_open(&ask, &e);
	if (io == NULL || (file = k3_io_file(io, path, -1, &e)) == NULL)
		errx(e.code, "%s", e.msg);
	return io;
}

/* One piece each, in the order of the file. */
static void
start_all(struct k3_io *io, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		place_init(&place[i], file, 1, i * PIECE, PIECE);
		k3_io_start(io, &place[i].read, false);
	}
}

static bool
good(struct k3_io *io, unsigned i)
{
	struct k3_err e;
	bool whole = k3_io_wait(io, &place[i].read, &e) == 0;

	return place_fini(&place[i]) && whole;
}

/* Is this what read 'i' says, at once or in time? */
static bool
says(struct k3_io *io, unsigned i, int code, const char *why)
{
	struct k3_io_read *read = &place[i].read;
	struct k3_err e = { 0 };
	char want[256];

	snprintf(want, sizeof(want),
	    "cannot read '%s' offset %zu (layer 3 expert 7): %s", path,
	    i * PIECE, why);
	if (k3_io_wait(io, read, &e) == -1 && e.code == code &&
	    strcmp(e.msg, want) == 0)
		return true;
	diag("want %s", want);
	diag("got %s", e.msg);
	return false;
}

static void
check_eio(void)
{
	struct faults f = { .some = true,
		.fail = 4,
		.hang = FAULTY_NEVER,
		.gone = FAULTY_NEVER };
	struct k3_io *io = start(&faulty, &f, 1, 0);
	bool others = true;

	start_all(io, 10);
	ok(says(io, 3, EX_IOERR, "Input/output error") && !place[3].read.lost,
	    "an error names file, offset and tensor");
	for (unsigned i = 0; i < 10; i++)
		if (i != 3)
			others &= good(io, i);
	free(place[3].mem);
	ok(others, "and the other reads are whole");
	/* Again, with the same struct. */
	place_init(&place[3], file, 1, 3 * PIECE, PIECE);
	k3_io_start(io, &place[3].read, true);
	ok(good(io, 3), "and so is the same one, asked for again");
	ok(k3_io_close(io) == 0, "and it closes");
}

/* The offset that is told is one that was asked for. */
static void
check_offset(void)
{
	struct faults f = { .some = true,
		.fail = 1,
		.hang = FAULTY_NEVER,
		.gone = FAULTY_NEVER };
	struct k3_io *io = start(&faulty, &f, 1, 0);
	struct k3_err e = { 0 };
	struct place p;

	place_init(&p, file, 1, 1234, PIECE);
	k3_io_start(io, &p.read, false);
	ok(k3_io_wait(io, &p.read, &e) == -1 &&
		strstr(e.msg, " offset 1234 (") != NULL,
	    "an offset within a unit is told as such");
	free(p.mem);
	k3_io_close(io);
}

/* A read of all pieces fails as one, at the first place in the file. */
static void
check_large(void)
{
	struct faults f = { .some = true,
		.fail = FAULTY_NEVER,
		.hang = FAULTY_NEVER,
		.gone = 5,
		.shuffle = 100 };
	struct k3_io *io = start(&faulty, &f, 8, 0);
	struct place p;
	struct k3_err e = { 0 };
	char want[256];

	snprintf(want, sizeof(want),
	    "cannot read '%s' offset %zu (layer 3 expert 7): No such device",
	    path, 4 * PIECE);
	place_init(&p, file, 1, 5, SIZE - 5);
	k3_io_start(io, &p.read, false);
	if (!ok(k3_io_wait(io, &p.read, &e) == -1 && e.code == EX_IOERR &&
		    strcmp(e.msg, want) == 0 && f.n < 20,
		"a device that disappears ends a large read"))
		diag("got %s", e.msg);
	place_fini(&p);
	place_init(&p, file, 1, 5, SIZE - 5);
	k3_io_start(io, &p.read, true);
	ok(k3_io_wait(io, &p.read, &e) == -1, "and any later one");
	place_fini(&p);
	ok(k3_io_close(io) == 0, "and it closes");
}

/* Everything that is nobody's fault at once, by many seeds. */
static void
check_trouble(unsigned depth)
{
	bool all = true;

	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct faults f = { .seed = seed,
			.cut = 128,
			.again = 20,
			.refuse = 50,
			.shuffle = 128 };
		struct k3_io *io = start(&faulty, &f, depth, 0);
		struct k3_io_stats stats;

		start_all(io, NPIECE);
		for (unsigned i = 0; i < NPIECE; i++)
			all &= good(io, i);
		k3_io_stats(io, &stats);
		all &= stats.resent > 0 && stats.reads == NPIECE + 1;
		all &= k3_io_close(io) == 0;
		if (!all) {
			diag("seed %" PRIu64, seed);
			break;
		}
	}
	ok(all, "short, refused, interrupted, out of order, depth %u", depth);
}

static void
check_flip(void)
{
	struct faults f = { .flip = 256 };
	struct k3_io *io = start(&faulty, &f, 4, 0);
	unsigned bad = 0;

	start_all(io, 10);
	for (unsigned i = 0; i < 10; i++)
		bad += !good(io, i);
	ok(bad == 10, "corrupted bytes arrive: they are for others to notice");
	ok(k3_io_close(io) == 0, "and it closes");
}

/* EAGAIN that does not end, but then nothing is with the kernel. */
static void
check_busy(void)
{
	struct faults f = { .again = 256 };
	struct k3_io *io = start(&faulty, &f, 2, SHORT);
	struct k3_err e = { 0 };
	bool all = true;

	start_all(io, 5);
	for (unsigned i = 0; i < 5; i++) {
		struct k3_io_read *read = &place[i].read;

		all &= k3_io_wait(io, read, &e) == -1 && !read->lost &&
		       strstr(e.msg, "Resource temporarily") != NULL;
		free(place[i].mem);
	}
	ok(all, "a kernel that puts off for ever is an error");
	ok(k3_io_close(io) == 0, "and it closes");
}

/* EINVAL says that O_DIRECT is refused; without it, that something is wrong. */
static void
check_invalid(void)
{
	struct faults f = { .some = true,
		.no_direct = true,
		.fail = 6,
		.error = EINVAL,
		.hang = FAULTY_NEVER,
		.gone = FAULTY_NEVER };
	struct k3_io *io = start(&faulty, &f, 1, 0);
	struct k3_err e = { 0 };
	unsigned bad = 0;

	start_all(io, 10);
	for (unsigned i = 0; i < 10; i++) {
		bad += k3_io_wait(io, &place[i].read, &e) != 0;
		free(place[i].mem);
	}
	ok(bad == 1 && strstr(e.msg, "Invalid argument") != NULL,
	    "a read that is refused in any form is an error");
	ok(k3_io_close(io) == 0, "and it closes");
}

/* Device and kernel are silent on one piece; later it comes after all. */
static void
check_hang(void)
{
	struct faults f = { .some = true,
		.fail = FAULTY_NEVER,
		.hang = 4,
		.gone = FAULTY_NEVER };
	struct k3_io *io = start(&faulty, &f, 4, SHORT);
	bool others = true;
	double begin = k3_clock();

	start_all(io, 10);
	ok(says(io, 3, EX_IOERR, "no answer for 0.3 seconds"),
	    "a read that never ends is an error");
	ok(k3_clock() - begin >= SHORT && place[3].read.lost,
	    "in time, and says that its place is not free");
	for (unsigned i = 0; i < 10; i++)
		if (i != 3)
			others &= good(io, i);
	ok(others, "and the other reads are whole");
	ok(k3_io_close(io) == -1, "it does not close while a read is out");
	f.release = true;
	ok(k3_io_close(io) == 0, "and does when that is back");
	free(place[3].mem);
}

/* With nothing left to read by, nobody waits in vain. */
static void
check_dead(void)
{
	struct faults f = { .some = true,
		.fail = FAULTY_NEVER,
		.hang = 1,
		.gone = FAULTY_NEVER };
	struct k3_io *io = start(&faulty, &f, 1, SHORT);
	bool all = true;

	start_all(io, 5);
	for (unsigned i = 0; i < 5; i++) {
		all &= says(io, i, EX_IOERR, "no answer for 0.3 seconds");
		all &= place[i].read.lost == (i == 0);
	}
	ok(all, "reads behind one that never ends are errors too");
	place_init(&place[5], file, 1, 5 * PIECE, PIECE);
	k3_io_start(io, &place[5].read, true);
	ok(says(io, 5, EX_IOERR, "no answer for 0.3 seconds"),
	    "and so is one that comes later");
	ok(k3_io_close(io) == -1, "it does not close");
	f.release = true;
	ok(k3_io_close(io) == 0, "and does when all is back");
	for (unsigned i = 0; i <= 5; i++)
		free(place[i].mem);
}

/* io_submit() itself may never come back. */
static void
check_stuck(void)
{
	struct faults f = { 0 };
	struct k3_io *io;
	int gate[2];

	if (pipe(gate) != 0)
		err(1, "pipe");
	f.gate = gate[0];
	io = start(&faulty, &f, 2, SHORT);
	start_all(io, 3);
	ok(says(io, 0, EX_IOERR, "no answer for 0.3 seconds") &&
		place[0].read.lost,
	    "a kernel that does not return is an error");
	ok(says(io, 2, EX_IOERR, "no answer for 0.3 seconds") &&
		!place[2].read.lost,
	    "also for what was not handed over");
	ok(k3_io_close(io) == -1, "it does not close");
	if (write(gate[1], "", 1) != 1)
		err(1, "pipe");
	ok(k3_io_close(io) == 0, "and does when the kernel returns");
	for (unsigned i = 0; i < 3; i++)
		free(place[i].mem);
	close(gate[0]);
	close(gate[1]);
}

/* With one at a time; all are queued before the first is read. */
static void
check_order(void)
{
	uint64_t at[NPIECE];
	static const unsigned want[] = { 0, 5, 6, 2, 1, 3, 4, 7 };
	struct faults f = { .at = at, .nat = NPIECE };
	bool all = true;
	struct k3_io *io;
	int gate[2];

	if (pipe(gate) != 0)
		err(1, "pipe");
	f.gate = gate[0];
	io = start(&faulty, &f, 1, 0);
	/* The first one is under way before the others come. */
	place_init(&place[0], file, 1, 0, PIECE);
	k3_io_start(io, &place[0].read, false);
	for (unsigned i = 1; i < 8; i++) {
		place_init(&place[i], file, 1, i * PIECE, PIECE);
		k3_io_start(io, &place[i].read, i == 5 || i == 6);
	}
	k3_io_urge(io, &place[2].read);
	k3_io_urge(io, &place[5].read);
	if (write(gate[1], "", 1) != 1)
		err(1, "pipe");
	for (unsigned i = 0; i < 8; i++)
		all &= good(io, i);
	/* Did the thread get to the first one before an urgent one came? */
	for (unsigned i = 0; i < 8; i++)
		if (at[1] == 0)
			all &= at[1 + i] == want[i] * PIECE;
	if (!ok(all, "urgent reads first, each kind in its order"))
		for (unsigned i = 0; i < 8; i++)
			diag("%" PRIu64, at[1 + i] / PIECE);
	k3_io_close(io);
	close(gate[0]);
	close(gate[1]);
}

/* The file system takes O_DIRECT and refuses the reads. */
static void
check_refusal(bool second)
{
	struct faults f = { .no_direct = true };
	struct k3_io_engine engine = faulty;
	struct k3_io *io;
	bool all = true, was;
	char note[256], want[256] = "";

	engine.buffered = !second;
	io = start(&engine, &f, 4, 0);
	was = f.n > 0; /* open() took O_DIRECT */
	start_all(io, NPIECE);
	for (unsigned i = 0; i < NPIECE; i++)
		all &= good(io, i);
	ok(all && !k3_io_direct(io, file),
	    "without O_DIRECT, %s engine reads through the page cache",
	    second ? "the second" : "the same");
	snprintf(want, sizeof(want),
	    "cannot pass the page cache for '%s': Invalid argument", path);
	if (!ok(k3_io_note(io, note, sizeof(note)) && strcmp(note, want) == 0,
		"and there is a note"))
		diag("%s", note);
	if (second && was)
		ok(f.n == 1, "the first one was asked once");
	ok(k3_io_close(io) == 0, "and it closes");
}

static void
check_close(void)
{
	struct faults f = { .slow_us = 1000 };
	struct k3_io *io = start(&faulty, &f, 4, 0);
	struct place p;
	double begin;

	place_init(&p, file, 1, 0, SIZE);
	start_all(io, NPIECE);
	k3_io_start(io, &p.read, true);
	begin = k3_clock();
	ok(k3_io_close(io) == 0 && f.n < NPIECE / 2,
	    "closing waits for what is in flight, not for the queue");
	diag("%g s", k3_clock() - begin);
	for (unsigned i = 0; i < NPIECE; i++)
		free(place[i].mem);
	free(p.mem);
}

int
main(void)
{
	char command[80];

	if (mkdtemp(dir) == NULL)
		err(1, "%s", dir);
	snprintf(path, sizeof(path), "%s/one", dir);
	write_file(path, 1, SIZE);
	check_eio();
	check_offset();
	check_large();
	check_trouble(1);
	check_trouble(7);
	check_flip();
	check_busy();
	check_invalid();
	check_hang();
	check_dead();
	check_stuck();
	check_order();
	check_refusal(false);
	check_refusal(true);
	check_close();
	check_no_aio();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return (system(command) != 0) | tap_done();
}
