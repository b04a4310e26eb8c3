/*
 * verify.h - the verbs of k3-verify, a file each, and what they share
 *
 * What is found to be wrong is the result: a line on standard output, and the
 * status is 1.  What cannot be looked at is an error, and ends the tool, or is
 * told on standard error and decides the status.
 */
#ifndef K3_TOOLS_VERIFY_H
#define K3_TOOLS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdnoreturn.h>

#include "common/layer.h"
#include "common/shards.h"
#include "tools/tool-progress.h"

/* A verb each: verify-NAME.c. */
int verify_checkpoint(int argc, char *argv[]);
int verify_diff(int argc, char *argv[]);
int verify_gates(int argc, char *argv[]);
int verify_same(int argc, char *argv[]);
int verify_trunk(int argc, char *argv[]);

struct verify {
	const char *model;
	unsigned threads;
	bool quiet, verbose;
	struct k3_cfg cfg;
	struct k3_st *st; /* NULL: too faulty to be opened */
	uint64_t found;   /* lines of what is wrong */
	uint64_t unread;  /* lines of what could not be looked at */
	int status;       /* of these, or 0 */
	struct tool_progress progress;
};

/*
 * verify-found.c: 'err' says what is wrong with the data, or that something
 * could not be looked at, and the work goes on.  Ends it where memory is short.
 */
void verify_found(struct verify *v, const struct k3_err *err);

/* The exit status; closes standard output. */
int verify_status(const struct verify *v);

/* Die, by the signal if there was one. */
noreturn void verify_die(struct verify *v, const struct k3_err *err);

/* DIR/NAME, to be freed. */
char *verify_join(struct verify *v, const char *dir, const char *name);

/*
 * verify-done.c: files that were right, remembered in a file of --done by size,
 * time of change and the digest that they had.  'path' NULL: nothing is.
 *
 * A mark is what a file was like before it was opened; free() it.  Only a file
 * that is still so after it was read is remembered.  NULL, if nothing is or the
 * file cannot be, is never there and never added.
 */
struct verify_done {
	char *text; /* what was there */
	FILE *fp;   /* NULL: nothing is remembered */
	bool torn;  /* its last line has no newline */
};

void verify_done_open(struct verify *v, struct verify_done *d,
    const char *path);
char *verify_done_mark(const struct verify_done *d, const char *hex,
    const char *path);
bool verify_done_has(const struct verify_done *d, const char *mark);
void verify_done_add(struct verify *v, struct verify_done *d, const char *mark,
    const char *hex, const char *path);
void verify_done_close(struct verify_done *d);

/* verify-sha256.c: files of the model against 'list', whose text this is. */
void verify_sha256(struct verify *v, const char *list,
    struct verify_done *done);

/* verify-hash.c: SHA-256 of files, several at a time. */
#define VERIFY_HEX 65
struct verify_hash_ask {
	unsigned lanes; /* files at a time, at most */
	/*
	 * The next file: a descriptor, which is closed here; its path, freed
	 * here; its size, and something to know it by.  -1 after the last.
	 */
	int (*next)(void *arg, char **path, uint64_t *size, const void **tag);
	/* Its digest; or 'err' says why there is none. */
	void (*done)(void *arg, const void *tag, const char *path,
	    const char hex[VERIFY_HEX], const struct k3_err *err);
	void *arg;
};

/* Tells of progress, which was begun.  Dies if asked to by a signal. */
void verify_hash(struct verify *v, const struct verify_hash_ask *ask);

/* verify-digests.c, verify-make.c: tensors, experts and rows of the embedding
   against a file of digests; and a new one. */
void verify_digests(struct verify *v, const char *path,
    struct verify_done *done);
void verify_make_digests(struct verify *v, const char *path);

/* verify-flow.c: the bytes of entries, one after the other. */
struct verify_entries {
	struct k3_sidecar *sidecar;
	uint32_t *order; /* [n]: those to read, in the order of their places */
	uint64_t n;
	/*
	 * An entry has been read and has this digest; or 'err' says why it
	 * could not be.
	 */
	void (*entry)(void *arg, uint64_t entry, uint64_t digest,
	    const struct k3_err *err);
	void *arg;
};

/* All entries of v->st, without digests. */
void verify_entries_open(struct verify *v, struct verify_entries *e);
void verify_entries_close(struct verify_entries *e);

/* Leave those out for which 'keep' is false. */
void verify_entries_choose(struct verify_entries *e,
    bool (*keep)(void *arg, uint64_t entry));

/* Read them, and tell of progress.  Dies if asked to by a signal. */
void verify_entries_read(struct verify *v, const struct verify_entries *e);

/* verify-layer.c: one packed layer. */
struct verify_layer_ask {
	struct k3_io *io;
	struct k3_shards *shards; /* NULL: only its own digests */
	unsigned layer;
	const struct k3_layer *file;
};

/* All of it, and tell of progress.  Dies if asked to by a signal. */
void verify_layer(struct verify *v, const struct verify_layer_ask *ask);

#endif
