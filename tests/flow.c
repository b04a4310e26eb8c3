/*
 * flow.c - ranges come in order and whole, whatever their sizes and the disk
 */
#include <unistd.h>

#include "common/flow.h"
#include "tests/faulty.h"
#include "tests/tap.h"

#define SIZE ((size_t)3 << 20)

static char path[] = "/var/tmp/k3-flow-XXXXXX";
static uint8_t *data;
static struct k3_err err;
static uint64_t rng = 1;

struct ranges {
	struct k3_io_file *file;
	struct {
		uint64_t off, len;
	} list[40];
	unsigned n, at;
	bool fail; /* instead of an end */
};

static uint64_t
rnd(uint64_t n)
{
	rng = rng * 6364136223846793005u + 1442695040888963407u;
	return (rng >> 33) % n;
}

static int
next(void *arg, struct k3_flow_range *r, struct k3_err *e)
{
	struct ranges *ranges = arg;

	if (ranges->at == ranges->n)
		return ranges->fail ? k3_fail(e, EX_DATAERR, "no more") : 0;
	r->file = ranges->file;
	r->off = ranges->list[ranges->at].off;
	r->len = ranges->list[ranges->at].len;
	r->what = "a range";
	ranges->at++;
	return 1;
}

static void
draw(struct ranges *r)
{
	memset(r, 0, sizeof(*r));
	r->n = 40;
	for (unsigned i = 0; i < r->n; i++) {
		r->list[i].off = rnd(SIZE);
		r->list[i].len = rnd(i % 4 == 0 ? SIZE : 9000);
		if (r->list[i].len > SIZE - r->list[i].off)
			r->list[i].len = SIZE - r->list[i].off;
	}
	r->list[3].len = 0;
	r->list[7].off = SIZE - 1;
	r->list[7].len = 1;
}

/* Is each range there, in order, whole?  Failed blocks count. */
static bool
follow(struct k3_io *io, struct ranges *r, size_t bytes, unsigned n,
    unsigned *failed)
{
	struct k3_flow *flow = k3_flow_open(io, bytes, n, next, r, &err);
	struct k3_flow_block b;
	uint64_t at = 0, got = 0;
	bool good = flow != NULL;
	int status;

	*failed = 0;
	while (good && (status = k3_flow_get(flow, &b, &err)) != 0) {
		if (status < 0 && (b.dead || err.code != EX_IOERR))
			break;
		while (at < r->n && r->list[at].len == 0)
			at++;
		good = at < r->n && b.len > 0 && b.len <= bytes &&
		       got + b.len <= r->list[at].len;
		if (status < 0)
			++*failed;
		else
			good =
			    good && memcmp(b.data, data + r->list[at].off + got,
					b.len) == 0;
		got += b.len;
		if (good && got == r->list[at].len) {
			got = 0;
			at++;
		}
	}
	k3_flow_close(flow);
	return good && at == r->n;
}

static void
check_sizes(struct k3_io *io, struct k3_io_file *file)
{
	static const size_t bytes[] = { 4096, 65536, 1 << 20, 8 << 20 };
	struct ranges r;
	unsigned failed;

	for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++)
		for (unsigned n = 1; n < 9; n += 3) {
			draw(&r);
			r.file = file;
			if (!ok(follow(io, &r, bytes[i], n, &failed) &&
				    failed == 0,
				"%u blocks of %zu bytes", n, bytes[i]))
				diag("%s", err.msg);
		}
}

static void
check_ends(struct k3_io *io, struct k3_io_file *file)
{
	struct ranges r;
	struct k3_flow *flow;
	struct k3_flow_block b;
	unsigned failed;

	draw(&r);
	r.n = 0;
	ok(follow(io, &r, 4096, 2, &failed), "no range at all");
	draw(&r);
	r.file = file;
	r.fail = true;
	err.msg[0] = '\0';
	follow(io, &r, 65536, 3, &failed);
	ok(strcmp(err.msg, "no more") == 0, "what next() says is told: %s",
	    err.msg);
	draw(&r);
	r.file = file;
	flow = k3_flow_open(io, 65536, 4, next, &r, &err);
	ok(k3_flow_fill(flow, &err) == 0 && k3_flow_get(flow, &b, &err) == 1,
	    "left in the middle, it can be closed");
	k3_flow_close(flow);
	k3_flow_close(NULL);
}

static void
check_faults(void)
{
	struct faults f = { .seed = 5, .from = 1, .cut = 60, .again = 60 };
	struct k3_io_ask ask = { &faulty, &f, 4, 16384, 0 };
	struct k3_io *io = k3_io_open(&ask, &err);
	struct ranges r;
	unsigned failed;

	draw(&r);
	r.file = k3_io_file(io, path, -1, &err);
	ok(follow(io, &r, 65536, 4, &failed) && failed == 0,
	    "short and interrupted reads");
	k3_io_close(io);

	memset(&f, 0, sizeof(f));
	f.some = true;
	f.fail = 30;
	f.hang = f.gone = FAULTY_NEVER;
	ask.depth = 1;
	io = k3_io_open(&ask, &err);
	draw(&r);
	r.file = k3_io_file(io, path, -1, &err);
	ok(follow(io, &r, 65536, 4, &failed) && failed == 1,
	    "a block that cannot be read, and all after it: %s", err.msg);
	k3_io_close(io);
}

int
main(void)
{
	struct k3_io_ask ask = { 0 };
	int fd = mkstemp(path);
	struct k3_io *io = k3_io_open(&ask, &err);
	struct k3_io_file *file;

	data = malloc(SIZE);
	for (size_t i = 0; i < SIZE; i++)
		data[i] = (uint8_t)rnd(256);
	if (fd == -1 || io == NULL || write(fd, data, SIZE) != (ssize_t)SIZE)
		return 1;
	if ((file = k3_io_file(io, path, -1, &err)) == NULL)
		return 1;
	check_sizes(io, file);
	check_ends(io, file);
	k3_io_close(io);
	check_faults();
	close(fd);
	unlink(path);
	free(data);
	return tap_done();
}
