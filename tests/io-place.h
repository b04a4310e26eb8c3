/*
 * io-place.h - files of known bytes, and places that notice what hits beside
 */
#ifndef K3_TESTS_IO_PLACE_H
#define K3_TESTS_IO_PLACE_H

#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/io.h"

/* Of the file number 'key' at 'off'. */
static inline uint8_t
byte_at(unsigned key, uint64_t off)
{
	uint64_t x = (off / 8 + 1) * 0x9e3779b97f4a7c15u + key;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return (uint8_t)(x >> (8 * (off % 8)));
}

static inline void
write_file(const char *path, unsigned key, uint64_t size)
{
	FILE *fp = fopen(path, "w");

	if (fp == NULL)
		err(1, "%s", path);
	for (uint64_t i = 0; i < size; i++)
		putc(byte_at(key, i), fp);
	if (fclose(fp) != 0)
		err(1, "%s", path);
}

#define GUARD 0xa5

/* A read with its place: a unit of guards, the room, a unit of guards. */
struct place {
	struct k3_io_read read;
	unsigned key;
	uint64_t room;
	uint8_t *mem;
};

static inline void
place_init(struct place *p, struct k3_io_file *file, unsigned key, uint64_t off,
    uint64_t len)
{
	memset(p, 0, sizeof(*p));
	p->key = key;
	p->room = k3_io_room(off, len);
	p->mem = aligned_alloc(K3_IO_ALIGN, p->room + (size_t)2 * K3_IO_ALIGN);
	if (p->mem == NULL)
		err(1, "memory");
	memset(p->mem, GUARD, p->room + (size_t)2 * K3_IO_ALIGN);
	p->read.file = file;
	p->read.off = off;
	p->read.len = len;
	p->read.dst = p->mem + K3_IO_ALIGN + k3_io_skew(off);
	p->read.what = "layer 3 expert 7";
}

/* All there, and nothing beside the room was touched; frees the place. */
static inline bool
place_fini(struct place *p)
{
	const struct k3_io_read *r = &p->read;
	bool good = true;

	for (uint64_t i = 0; i < r->len && good; i++)
		good = r->dst[i] == byte_at(p->key, r->off + i);
	for (size_t i = 0; i < K3_IO_ALIGN && good; i++)
		good = p->mem[i] == GUARD &&
		       p->mem[K3_IO_ALIGN + p->room + i] == GUARD;
	free(p->mem);
	return good;
}

/* Start, wait, look: is it what the file has? */
static inline bool
place_read(struct k3_io *io, struct k3_io_file *file, unsigned key,
    uint64_t off, uint64_t len)
{
	struct place p;
	struct k3_err e;
	bool good;

	place_init(&p, file, key, off, len);
	k3_io_start(io, &p.read, len % 2 != 0);
	good = k3_io_wait(io, &p.read, &e) == 0;
	if (!good)
		printf("# %s\n", e.msg);
	return place_fini(&p) && good;
}

#endif
