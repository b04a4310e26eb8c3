/*
 * session.c - any bytes as a session of a tiny model
 *
 * What is read is written again and read again: it must be the same bytes, but
 * for padding.
 */
#include <math.h>

#include "tests/session-image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct k3_cfg cfg;
static struct image_room room;

static void
try(const uint8_t *data, size_t size)
{
	struct k3_session s, t;
	char path[32], *again;
	int fd = image_file(data, size, path);
	struct k3_err err = { 0, "" };
	size_t len;

	if (image_read(path, &room, &s, &err) != 0) {
		if (err.code == 0 || err.msg[0] == '\0')
			abort();
		close(fd);
		return;
	}
	close(fd);
	if (s.n > IMAGE_MOST + 1 || s.position > IMAGE_MOST ||
	    s.position + s.rows > IMAGE_MOST || s.half > 2 * cfg.nlayer)
		abort();
	for (uint64_t i = 0; i < k3_state_bytes(&cfg) / 4; i++)
		if (!isfinite(room.state.kda[i]))
			abort();
	again = image_write(&s, &room, &len);
	fd = image_file(again, len, path);
	if (len != size || image_read(path, &room, &t, &err) != 0 ||
	    s.line != t.line || s.half != t.half || s.n != t.n)
		abort();
	close(fd);
	free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (cfg.nlayer == 0) {
		image_config(&cfg);
		image_room(&room, &cfg);
	}
	if (size == 0)
		return 0;
	try(data, size);
	copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	if (image_forge(copy, size))
		try(copy, size);
	free(copy);
	return 0;
}
