/*
 * io.c - whatever the engine, a read brings the bytes of the file
 */
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faulty.h"
#include "tests/io-place.h"
#include "tests/tap.h"

/* The first ends in the middle of a unit, the second at its end. */
#define SIZE   (((uint64_t)5 << 20) + 1234)
#define SECOND ((uint64_t)3 * K3_IO_ALIGN)
#define NREAD  400

/* On a disk, more likely than /tmp. */
static char dir[] = "/var/tmp/k3-io-XXXXXX";
static char one[64], two[64];
static struct faults trouble;

static uint64_t
any(uint64_t below)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (x >> 11) % below;
}

static struct k3_io *
start(const struct k3_io_engine *engine, unsigned depth, size_t piece)
{
	struct k3_io_ask ask = { engine, &trouble, depth, piece, 0 };
	struct k3_err e;
	struct k3_io *io;

	memset(&trouble, 0, sizeof(trouble));
	trouble.seed = 7;
	trouble.cut = trouble.again = trouble.refuse = trouble.shuffle = 60;
	io = k3_io_open(&ask, &e);
	if (io == NULL)
		errx(e.code, "%s", e.msg);
	return io;
}

static struct k3_io_file *
file(struct k3_io *io, const char *path)
{
	struct k3_err e;
	struct k3_io_file *f = k3_io_file(io, path, -1, &e);

	if (f == NULL)
		errx(e.code, "%s", e.msg);
	return f;
}

static void
check_sizes(struct k3_io *io, struct k3_io_file *f, const char *name)
{
	static const uint64_t len[] = { 0, 1, 511, 512, 4095, 4096, 4097, 70000,
		1 << 20, (3 << 20) + 5 };
	static const uint64_t off[] = { 0, 1, 511, 512, 4095, 4096, 4097, 12345,
		(1 << 20) - 1, 1 << 20 };

	for (size_t i = 0; i < sizeof(len) / sizeof(len[0]); i++) {
		bool good = true;

		for (size_t k = 0; k < sizeof(off) / sizeof(off[0]); k++)
			good &= place_read(io, f, 1, off[k], len[i]);
		ok(good, "%s: %" PRIu64 " bytes at any offset", name, len[i]);
	}
}

static void
check_end(struct k3_io *io, struct k3_io_file *f, const char *name)
{
	struct place p;
	struct k3_err e;
	char want[256];
	bool good = place_read(io, f, 1, 0, SIZE);

	for (uint64_t n = 1; n < 3000; n += 400)
		good &= place_read(io, f, 1, SIZE - n, n);
	ok(good, "%s: reads up to the end of the file", name);
	snprintf(want, sizeof(want),
	    "'%s' byte %" PRIu64 ": the file ends here (layer 3 expert 7)", one,
	    SIZE);
	for (uint64_t past = 1; past <= 1 << 20; past <<= 10) {
		place_init(&p, f, 1, SIZE - 100000, 100000 + past);
		k3_io_start(io, &p.read, true);
		good = k3_io_wait(io, &p.read, &e) == -1 &&
		       e.code == EX_DATAERR && strcmp(e.msg, want) == 0 &&
		       !p.read.lost;
		if (!ok(good, "%s: %" PRIu64 " bytes past the end are an error",
			name, past))
			diag("got %s", e.msg);
		place_fini(&p);
	}
	place_init(&p, f, 1, UINT64_MAX - 10, 100);
	k3_io_start(io, &p.read, true);
	ok(k3_io_done(io, &p.read) && k3_io_wait(io, &p.read, &e) == -1 &&
		e.code == EX_IOERR,
	    "%s: offsets that overflow are an error", name);
	place_fini(&p);
}

/* In random order, from two files, some urgent, some later so. */
static void
check_many(struct k3_io *io, struct k3_io_file *f, struct k3_io_file *g,
    const char *name)
{
	static struct place p[NREAD];
	struct k3_io_stats stats;
	struct k3_err e;
	bool good = true;

	for (unsigned i = 0; i < NREAD; i++) {
		bool second = any(4) == 0;
		uint64_t size = second ? SECOND : SIZE;
		uint64_t off = any(size), len = any(size - off);

		if (any(8) > 0)
			len %= 40000;
		place_init(&p[i], second ? g : f, second ? 2 : 1, off, len);
		k3_io_start(io, &p[i].read, any(3) == 0);
		k3_io_urge(io, &p[any(i + 1)].read);
	}
	for (unsigned i = 0; i < NREAD; i++) {
		/* 7 and NREAD have no divisor in common. */
		struct k3_io_read *read = &p[i * 7 % NREAD].read;

		good &= k3_io_wait(io, read, &e) == 0;
		good &= k3_io_wait(io, read, &e) == 0 && k3_io_done(io, read);
	}
	for (unsigned i = 0; i < NREAD; i++)
		good &= place_fini(&p[i]);
	ok(good, "%s: many reads at once in random order", name);
	k3_io_stats(io, &stats);
	if (!ok(stats.reads >= NREAD && stats.busy > 0 && stats.depth >= 1 &&
		    stats.depth <= K3_IO_MAX_DEPTH && stats.bytes > SIZE,
		"%s: statistics make sense", name))
		diag("%" PRIu64 " reads, %" PRIu64 " bytes, %g s, %g deep",
		    stats.reads, stats.bytes, stats.busy, stats.depth);
}

static void
check_shorter(struct k3_io *io, const char *name)
{
	char path[80], want[256];
	struct k3_io_file *f;
	struct k3_err e = { 0 };
	struct place p;

	snprintf(path, sizeof(path), "%s/short", dir);
	write_file(path, 3, 100000);
	f = file(io, path);
	if (truncate(path, 50000) != 0)
		err(1, "%s", path);
	snprintf(want, sizeof(want),
	    "'%s' byte 50000: the file ends here (layer 3 expert 7)", path);
	place_init(&p, f, 3, 10, 90000);
	k3_io_start(io, &p.read, true);
	if (!ok(k3_io_wait(io, &p.read, &e) == -1 && e.code == EX_DATAERR &&
		    strcmp(e.msg, want) == 0,
		"%s: a file that got shorter is an error", name))
		diag("got %s", e.msg);
	place_fini(&p);
	ok(place_read(io, f, 3, 10, 40000), "%s: and what is left can be read",
	    name);
}

/* The descriptor says which file, whatever its name is by now. */
static void
check_renamed(struct k3_io *io, const char *name)
{
	char path[80], other[80];
	struct k3_io_file *f;
	struct k3_err e;
	int fd;

	snprintf(path, sizeof(path), "%s/name", dir);
	snprintf(other, sizeof(other), "%s/other", dir);
	write_file(path, 4, 50000);
	write_file(other, 5, 60000);
	fd = open(path, O_RDONLY);
	if (fd < 0 || rename(other, path) != 0)
		err(1, "%s", path);
	f = k3_io_file(io, path, fd, &e);
	close(fd);
	ok(f != NULL && place_read(io, f, 4, 0, 50000),
	    "%s: the file that is open is read, not its namesake", name);
}

static void
check_engine(const struct k3_io_engine *engine, unsigned depth, size_t piece)
{
	struct k3_io *io = start(engine, depth, piece);
	struct k3_io_file *f, *g;
	struct place p[50];
	char name[64];
	bool direct;

	snprintf(name, sizeof(name), "%s, depth %u, pieces of %zu",
	    engine->name, depth, piece);
	if (strcmp(k3_io_name(io), engine->name) != 0) {
		skip(name, "this machine has no such engine");
		k3_io_close(io);
		return;
	}
	f = file(io, one);
	g = file(io, two);
	direct = k3_io_direct(io, f);
	check_sizes(io, f, name);
	check_end(io, f, name);
	check_many(io, f, g, name);
	check_shorter(io, name);
	check_renamed(io, name);
	ok(k3_io_direct(io, f) == direct, "%s: all the while %s", name,
	    direct ? "past the page cache" : "through the page cache");
	for (unsigned i = 0; i < 50; i++) {
		place_init(&p[i], f, 1, i * 100000, 100000);
		k3_io_start(io, &p[i].read, false);
	}
	ok(k3_io_close(io) == 0, "%s: closes with reads in flight", name);
	for (unsigned i = 0; i < 50; i++)
		free(p[i].mem);
}

/* A file system that may know no O_DIRECT. */
static void
check_tmpfs(const struct k3_io_engine *engine)
{
	char path[] = "/dev/shm/k3-io-XXXXXX", name[64], note[256];
	struct k3_io *io = start(engine, 4, 65536);
	struct k3_io_file *f;
	int fd = mkstemp(path);

	snprintf(name, sizeof(name), "%s: a file in memory", engine->name);
	if (fd < 0) {
		skip(name, "no /dev/shm");
	} else {
		write_file(path, 6, 300000);
		f = file(io, path);
		ok(place_read(io, f, 6, 100, 299900), "%s, %s", name,
		    k3_io_direct(io, f) ? "direct" : "buffered");
		ok(k3_io_note(io, note, sizeof(note)) != k3_io_direct(io, f) ||
			strcmp(k3_io_name(io), engine->name) != 0,
		    "%s is spoken of if it is buffered", name);
		close(fd);
		unlink(path);
	}
	k3_io_close(io);
}

static void
check_refused(struct k3_io *io, const char *path, const char *why)
{
	struct k3_err e = { 0 };
	char want[128];

	snprintf(want, sizeof(want), "cannot open '%s': %s", path, why);
	if (!ok(k3_io_file(io, path, -1, &e) == NULL && e.code == EX_NOINPUT &&
		    strcmp(e.msg, want) == 0,
		"%s", want))
		diag("got %s", e.msg);
}

static void
check_files(void)
{
	struct k3_io *io = start(NULL, 0, 0);
	char path[80];

	check_refused(io, dir, "not a regular file");
	snprintf(path, sizeof(path), "%s/none", dir);
	check_refused(io, path, "No such file or directory");
	snprintf(path, sizeof(path), "%s/fifo", dir);
	if (mkfifo(path, 0600) != 0)
		err(1, "%s", path);
	check_refused(io, path, "not a regular file");
	snprintf(path, sizeof(path), "%s/secret", dir);
	write_file(path, 1, 1);
	chmod(path, 0);
	if (geteuid() == 0)
		skip("an unreadable file", "root reads all");
	else
		check_refused(io, path, "Permission denied");
	snprintf(path, sizeof(path), "%s/empty", dir);
	write_file(path, 1, 0);
	ok(place_read(io, file(io, path), 1, 0, 0), "an empty file");
	ok(k3_io_close(io) == 0 && k3_io_close(NULL) == 0,
	    "nothing in flight, nothing open: it closes");
}

int
main(void)
{
	char command[80];

	if (mkdtemp(dir) == NULL)
		err(1, "%s", dir);
	snprintf(one, sizeof(one), "%s/one", dir);
	snprintf(two, sizeof(two), "%s/two", dir);
	write_file(one, 1, SIZE);
	write_file(two, 2, SECOND);
	check_engine(&k3_io_aio, 8, 1 << 20);
	check_engine(&k3_io_aio, 1, 16384);
	check_engine(&k3_io_pread, 8, 1 << 20);
	check_engine(&k3_io_pread, 2, 5000);
	check_engine(&faulty, 8, 65536);
	check_engine(&faulty, 1, 1 << 20);
	check_tmpfs(&k3_io_aio);
	check_tmpfs(&k3_io_pread);
	check_files();
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return (system(command) != 0) | tap_done();
}
