/*
 * texts.h - the texts in a file: all of it, each line, or each NUL-ended one
 *
 * Bytes are returned as they arrive, so that a text may be longer than memory.
 * The struct lives with the caller, who owns the descriptor.
 */
#ifndef K3_COMMON_TEXTS_H
#define K3_COMMON_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/err.h"

/* What k3_texts_get() returns, besides -1. */
#define K3_TEXTS_EOF  0 /* the file is over */
#define K3_TEXTS_SOME 1 /* bytes of a text */
#define K3_TEXTS_END  2 /* the end of a text */

struct k3_texts {
	const char *name; /* for messages */

	/*
	 * Called, if not NULL, before a read that may have to wait.  Returns
	 * 0, or -1 with the error.
	 */
	int (*wait)(void *arg, struct k3_err *err);
	void *arg;

	/* The rest is the reader's own. */
	int fd;
	int stop;  /* the byte that ends a text, or -1 */
	bool open; /* inside a text */
	const char *p, *end;
	char buf[65536];
};

/*
 * Begin to read from 'fd', with 'wait' unset.  A text ends with the byte
 * 'stop', which is not part of it and which the last one may lack; or, if
 * 'stop' is -1, with the file, which then is one text, also if it is empty.
 */
void k3_texts_init(struct k3_texts *texts, int fd, const char *name, int stop);

/*
 * Read on.  Returns K3_TEXTS_SOME with the next bytes, at least 1, valid until
 * the next call; K3_TEXTS_END behind the last one of each text; K3_TEXTS_EOF;
 * or -1 with EX_IOERR.
 */
int k3_texts_get(struct k3_texts *texts, const char **bytes, size_t *len,
    struct k3_err *err);

#endif
