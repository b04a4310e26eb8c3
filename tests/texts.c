/*
 * texts.c - the texts in a file
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/texts.h"
#include "tests/tap.h"

/* What comes out of a pipe that was given 'text', as "<a><bc>.". */
static const char *
read_all(const char *text, size_t len, int stop)
{
	static struct k3_texts texts;
	static char out[256];
	bool open = false;
	struct k3_err err;
	const char *bytes;
	size_t n = 0, k;
	int fd[2], got;

	if (pipe(fd) != 0 || write(fd[1], text, len) != (ssize_t)len)
		return "cannot make a pipe";
	close(fd[1]);
	k3_texts_init(&texts, fd[0], "t", stop);
	while ((got = k3_texts_get(&texts, &bytes, &k, &err)) > 0) {
		if (!open)
			out[n++] = '<';
		open = got == K3_TEXTS_SOME;
		if (open)
			memcpy(out + n, bytes, k);
		else
			out[n++] = '>';
		n += open ? k : 0;
	}
	strcpy(out + n, got == 0 ? "." : "!");
	close(fd[0]);
	return out;
}

static void
check_split(void)
{
	static const struct {
		const char *what, *text;
		size_t len;
		int stop;
		const char *want;
	} t[] = {
		{ "a whole file", "a\nb\n", 4, -1, "<a\nb\n>." },
		{ "an empty file is a text", "", 0, -1, "<>." },
		{ "lines", "a\nbc\n", 5, '\n', "<a><bc>." },
		{ "no line in an empty file", "", 0, '\n', "." },
		{ "empty lines", "\n\na\n\n", 5, '\n', "<><><a><>." },
		{ "a last line without its end", "a\nb", 3, '\n', "<a><b>." },
		{ "NUL-ended texts", "a\n\0\0b\0", 6, '\0', "<a\n><><b>." },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const char *got = read_all(t[i].text, t[i].len, t[i].stop);

		if (!ok(strcmp(got, t[i].want) == 0, "%s", t[i].what))
			diag("got \"%s\"", got);
	}
}

static int
count_wait(void *arg, struct k3_err *err)
{
	if (*(int *)arg == 2)
		return k3_fail(err, EX_IOERR, "enough");
	++*(int *)arg;
	return 0;
}

static void
check_wait(void)
{
	static struct k3_texts texts;
	struct k3_err err;
	const char *bytes;
	int fd[2], waits = 0;
	size_t len;

	ok(pipe(fd) == 0 && write(fd[1], "a\nb", 3) == 3, "a pipe");
	k3_texts_init(&texts, fd[0], "t", '\n');
	texts.wait = count_wait;
	texts.arg = &waits;
	ok(k3_texts_get(&texts, &bytes, &len, &err) == K3_TEXTS_SOME &&
		k3_texts_get(&texts, &bytes, &len, &err) == K3_TEXTS_END &&
		k3_texts_get(&texts, &bytes, &len, &err) == K3_TEXTS_SOME &&
		waits == 1,
	    "one wait for all that has arrived");
	close(fd[1]);
	ok(k3_texts_get(&texts, &bytes, &len, &err) == K3_TEXTS_END &&
		waits == 2 && k3_texts_get(&texts, &bytes, &len, &err) == -1 &&
		strcmp(err.msg, "enough") == 0,
	    "the end; a wait that fails");
	close(fd[0]);
	k3_texts_init(&texts, fd[0], "t", '\n');
	ok(k3_texts_get(&texts, &bytes, &len, &err) == -1 &&
		strcmp(err.msg, "cannot read 't': Bad file descriptor") == 0,
	    "a read that fails");
}

int
main(void)
{
	check_split();
	check_wait();
	return tap_done();
}
