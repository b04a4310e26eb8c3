/*
 * texts.c - the texts in a file
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/texts.h"

void
k3_texts_init(struct k3_texts *texts, int fd, const char *name, int stop)
{
	texts->name = name;
	texts->wait = NULL;
	texts->arg = NULL;
	texts->fd = fd;
	texts->stop = stop;
	texts->open = stop == -1;
	texts->p = texts->end = texts->buf;
}

/* Fill the empty buffer.  Returns 1, 0 at the end of the file, or -1. */
static int
fill(struct k3_texts *t, struct k3_err *err)
{
	ssize_t got;

	if (t->wait != NULL && t->wait(t->arg, err) != 0)
		return -1;
	do {
		got = read(t->fd, t->buf, sizeof(t->buf));
	} while (got == -1 && errno == EINTR);
	if (got == -1)
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'",
		    t->name);
	t->p = t->buf;
	t->end = t->buf + got;
	return got > 0;
}

int
k3_texts_get(struct k3_texts *texts, const char **bytes, size_t *len,
    struct k3_err *err)
{
	struct k3_texts *t = texts;
	const char *stop = NULL;
	int got;

	if (t->p == t->end) {
		if ((got = fill(t, err)) == -1)
			return -1;
		if (got == 0 && !t->open)
			return K3_TEXTS_EOF;
		t->open = got == 1;
		if (got == 0)
			return K3_TEXTS_END;
	}
	if (t->stop != -1)
		stop = memchr(t->p, t->stop, (size_t)(t->end - t->p));
	if (stop == t->p) {
		t->p++;
		t->open = false;
		return K3_TEXTS_END;
	}
	*bytes = t->p;
	t->p = stop != NULL ? stop : t->end;
	*len = (size_t)(t->p - *bytes);
	t->open = true;
	return K3_TEXTS_SOME;
}
