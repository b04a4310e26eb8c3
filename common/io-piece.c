/*
 * io-piece.c - a piece of a read: cut, sent, back, and what then
 *
 * Everything here wants the lock.
 */
#include <errno.h>
#include <sys/stat.h>

#include "common/clock.h"
#include "common/io-impl.h"

/* Times that a piece is sent again although nothing more of it arrives. */
#define TRIES 100

void
k3_io_free(struct k3_io_piece *piece)
{
	struct k3_io_read *read = piece->read;

	piece->where = K3_IO_FREE;
	piece->read = NULL;
	if (read != NULL)
		read->npiece--;
}

void
k3_io_keep(struct k3_io *io, struct k3_io_piece *piece)
{
	struct k3_io_read *read = piece->read;

	if (read != NULL && !read->failed) {
		piece->where = K3_IO_READY;
		return;
	}
	k3_io_free(piece);
	if (read != NULL)
		k3_io_settle(io, read);
}

void
k3_io_lose(struct k3_io *io, struct k3_io_piece *piece)
{
	struct k3_io_read *read = piece->read;

	if (piece->where == K3_IO_OUT) {
		k3_io_count(io);
		io->out--;
	}
	piece->read = NULL;
	read->npiece--;
	read->lost = true;
	k3_io_fail(io, read, ETIMEDOUT, piece->pos);
}

/* Aim the piece at what is missing of it. */
static void
aim(struct k3_io_piece *piece)
{
	const struct k3_io_read *read = piece->read;
	uint64_t off = piece->pos;

	if (piece->file->direct)
		off -= off % K3_IO_ALIGN;
	piece->direct = piece->file->direct;
	piece->op.fd = piece->file->fd;
	piece->op.off = off;
	piece->op.len = (size_t)(piece->end - off);
	piece->op.buf = off < read->off ? read->dst - (read->off - off)
					: read->dst + (off - read->off);
	piece->where = K3_IO_READY;
}

void
k3_io_cut(struct k3_io *io, struct k3_io_read *read, struct k3_io_piece *piece)
{
	uint64_t left = read->end - read->cut;

	piece->read = read;
	piece->file = read->file;
	piece->pos = read->cut;
	read->cut += left < io->piece_bytes ? left : io->piece_bytes;
	piece->end = read->cut;
	piece->since = k3_clock();
	piece->tries = 0;
	read->npiece++;
	if (read->cut == read->end)
		k3_io_dequeue(read);
	aim(piece);
}

/*
 * No more of a piece has come than before.  At the end of the file that says
 * where it is; elsewhere the rest of a unit may have been cut off.
 */
static void
stalled(struct k3_io *io, struct k3_io_piece *piece)
{
	struct k3_io_read *read = piece->read;
	uint64_t at = piece->pos;
	struct stat sb;
	bool ends = ++piece->tries > TRIES;

	if (fstat(piece->file->fd, &sb) == 0 && (uint64_t)sb.st_size <= at) {
		at = (uint64_t)sb.st_size;
		ends = true;
	}
	if (!ends) {
		aim(piece);
		return;
	}
	k3_io_free(piece);
	k3_io_fail(io, read, 0, at);
}

static void
arrived(struct k3_io *io, struct k3_io_piece *piece)
{
	struct k3_io_read *read = piece->read;
	uint64_t pos = piece->op.off + (uint64_t)piece->op.res;
	uint64_t want = read->off + read->len;

	io->stats.pieces++;
	io->stats.bytes += (uint64_t)piece->op.res;
	if (pos >= piece->end || pos >= want || read->failed) {
		k3_io_free(piece);
		k3_io_settle(io, read);
		return;
	}
	io->stats.resent++;
	if (pos <= piece->pos) {
		stalled(io, piece);
		return;
	}
	piece->pos = pos;
	piece->since = k3_clock();
	piece->tries = 0;
	aim(piece);
}

static bool
for_now(int error)
{
	return error == EAGAIN || error == EINTR;
}

/* Is this how O_DIRECT is refused? */
static bool
refusal(int error)
{
	return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

/*
 * Is this no reason to fail?  Then it is sent again, unless its read has failed
 * for another one.
 */
static bool
excused(struct k3_io *io, struct k3_io_piece *piece, int error)
{
	if (for_now(error)) {
		io->stats.resent++;
		piece->file->device->again = true;
	} else if (!refusal(error) || !piece->direct ||
		   (piece->file->direct && !k3_io_buffer(piece->file, error))) {
		return false;
	}
	if (piece->read->failed) {
		struct k3_io_read *read = piece->read;

		k3_io_free(piece);
		k3_io_settle(io, read);
	} else {
		aim(piece);
	}
	return true;
}

void
k3_io_back(struct k3_io *io, struct k3_io_piece *piece)
{
	struct k3_io_read *read = piece->read;
	int error = piece->op.res < 0 ? (int)-piece->op.res : 0;

	if (piece->where == K3_IO_OUT && read != NULL) {
		k3_io_count(io);
		io->out--;
	}
	piece->where = K3_IO_SENDING;
	if (read == NULL) {
		k3_io_free(piece);
	} else if (error == 0) {
		arrived(io, piece);
	} else if (!excused(io, piece, error)) {
		k3_io_free(piece);
		k3_io_fail(io, read, error, piece->pos);
	}
}
