/*
 * trace-disk.h - what the parts of k3-trace disk share
 */
#ifndef K3_TOOLS_TRACE_DISK_H
#define K3_TOOLS_TRACE_DISK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "common/io.h"
#include "tools/tool-progress.h"

#define DISK_DEPTHS 16                /* --depth takes */
#define DISK_ROWS   (DISK_DEPTHS + 2) /* and sequential, mixed */
#define DISK_FILES  16                /* of a model that are read */
#define DISK_TURNS  5                 /* of each row */
#define DISK_LATENT 4096              /* latencies of a row that are kept */

struct disk_options {
	const char *path;
	const struct k3_io_engine *engine; /* NULL: the best */
	unsigned depth[DISK_DEPTHS], ndepth;
	uint64_t size;  /* of the probe; 0: chosen here */
	double seconds; /* a row */
	bool keep, json, quiet, verbose;
};

struct disk_file {
	char *path;
	int fd;
	uint64_t size;
	struct k3_io_file *io; /* in this turn */
};

enum disk_pattern {
	DISK_RANDOM,
	DISK_SEQUENTIAL,
	DISK_MIXED,
};

struct disk_row {
	enum disk_pattern pattern;
	uint64_t size; /* of a read; mixed: of an expert */
	unsigned depth;
	char what[64];
	unsigned turns;
	uint64_t reads, bytes, nlatent;
	double seconds, rates[DISK_TURNS], latent[DISK_LATENT];
	double rate, latency; /* the medians of those */
};

struct disk {
	const struct disk_options *o;
	struct tool_progress progress;

	/* What is read. */
	struct disk_file file[DISK_FILES];
	unsigned nfile;
	uint64_t bytes;         /* of all of them */
	uint64_t expert, trunk; /* of a read */
	uint64_t random;        /* state of disk_random() */
	unsigned at;            /* where the next read in order */
	uint64_t pos;           /* begins: file and offset */

	/* How that went. */
	struct disk_row row[DISK_ROWS];
	unsigned nrow;
	char engine[16];           /* in use */
	uint64_t arrived, fetched; /* bytes; of them from a device */
	bool counted;              /* could the kernel say so? */
	bool direct, noted;        /* O_DIRECT; the user has been told */
	uint8_t *mem;
};

/* trace-disk.c: clean, and die: by the signal if there was one. */
noreturn void disk_die(struct disk *d, const struct k3_err *err);

/* trace-disk-place.c: find or write what is to be read, or die. */
void disk_place(struct disk *d);
void disk_add(struct disk *d, char *path, int fd, uint64_t size);
noreturn void disk_too_small(struct disk *d, const char *path, uint64_t size);

/* The least to read, and the next number of splitmix64. */
uint64_t disk_least(const struct disk *d);
uint64_t disk_random(uint64_t *state);

/* trace-disk-probe.c: a file of our own in folder 'dir'. */
void disk_probe(struct disk *d, const char *dir);

/* trace-disk-open.c: a queue with all files; and what is to be told of it. */
struct k3_io *disk_open(struct disk *d, unsigned depth);
void disk_close(struct disk *d, struct k3_io *io);

/* What this process had from devices so far, if the kernel counts that. */
bool disk_fetched(uint64_t *bytes);

/* trace-disk-run.c: bytes for the reads of any row. */
uint64_t disk_memory(const struct disk *d);

/* One turn of a row, for so many seconds. */
void disk_turn(struct disk *d, struct disk_row *row, double seconds);

/* trace-disk-show.c */
void disk_show(struct disk *d);

#endif
