/*
 * io-devices.c - a device that is stuck does not hold up another
 */
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faulty.h"
#include "tests/io-place.h"
#include "tests/tap.h"

#define SIZE  ((uint64_t)1 << 20)
#define PIECE ((size_t)16384)
#define STUCK 4 /* reads of the device that is */

static char here[] = "/var/tmp/k3-io-XXXXXX";
static char there[] = "/dev/shm/k3-io-XXXXXX";
static char link_name[64];

/* The faulty engine, with faults of its own for each device. */
static struct faults *next_faults[2];

static void *
next_open(unsigned depth, int bell, void *arg)
{
	struct faults *f = next_faults[0];

	(void)arg;
	next_faults[0] = next_faults[1];
	return faulty_open(depth, bell, f);
}

/* Two files, the second behind a link; false if they are on one device. */
static bool
make_files(void)
{
	struct stat a, b;
	int one = mkstemp(here), two = mkstemp(there);

	if (one < 0)
		err(1, "%s", here);
	if (two < 0 || fstat(one, &a) != 0 || fstat(two, &b) != 0 ||
	    a.st_dev == b.st_dev)
		return false;
	close(one);
	close(two);
	write_file(here, 1, SIZE);
	write_file(there, 2, SIZE);
	snprintf(link_name, sizeof(link_name), "%s.link", here);
	if (symlink(there, link_name) != 0)
		err(1, "%s", link_name);
	return true;
}

static void
check(void)
{
	struct k3_io_engine engine = faulty;
	struct faults stuck = { .from = 1 }, other = { 0 };
	struct k3_io_ask ask = { &engine, NULL, 1, PIECE, 0 };
	struct k3_io_file *first, *second;
	struct place place[STUCK], p;
	struct k3_err e = { 0 };
	struct k3_io *io;
	bool good = true;
	int gate[2];

	if (pipe(gate) != 0)
		err(1, "pipe");
	engine.open = next_open;
	next_faults[0] = &stuck;
	next_faults[1] = &other;
	stuck.gate = gate[0];
	io = k3_io_open(&ask, &e);
	if (io == NULL || (first = k3_io_file(io, here, -1, &e)) == NULL ||
	    (second = k3_io_file(io, link_name, -1, &e)) == NULL)
		errx(e.code, "%s", e.msg);
	for (unsigned i = 0; i < STUCK; i++) {
		place_init(&place[i], first, 1, i * PIECE, PIECE);
		k3_io_start(io, &place[i].read, false);
	}
	place_init(&p, second, 2, 1000, SIZE - 5000);
	k3_io_start(io, &p.read, false);
	ok(k3_io_wait(io, &p.read, &e) == 0 && place_fini(&p) &&
		!k3_io_done(io, &place[0].read),
	    "reads of another device go on while one is stuck");
	if (write(gate[1], "", 1) != 1)
		err(1, "pipe");
	for (unsigned i = 0; i < STUCK; i++)
		good = k3_io_wait(io, &place[i].read, &e) == 0 &&
		       place_fini(&place[i]) && good;
	ok(good && k3_io_close(io) == 0, "whose reads follow when it answers");
	close(gate[0]);
	close(gate[1]);
}

int
main(void)
{
	if (make_files())
		check();
	else
		skip("a second device", "/dev/shm is none");
	unlink(here);
	unlink(there);
	unlink(link_name);
	return tap_done();
}
