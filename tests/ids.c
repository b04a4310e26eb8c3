/*
 * ids.c - token-ID streams
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/ids.h"
#include "tests/tap.h"

/* Read a stream to its end; write it as "1,2;" with ; at each end. */
static const char *
read_all(struct k3_ids *ids, struct k3_err *err)
{
	static char out[256];
	size_t n = 0;
	uint32_t id;
	int got;

	while ((got = k3_ids_get(ids, &id, err)) > 0)
		n +=
		    (size_t)(got == K3_IDS_ID
				 ? snprintf(out + n, sizeof(out) - n, "%u,", id)
				 : snprintf(out + n, sizeof(out) - n, ";"));
	snprintf(out + n, sizeof(out) - n, "%s", got == 0 ? "." : "!");
	return out;
}

static void
check_good(void)
{
	static const struct {
		const char *what, *text, *want;
	} t[] = {
		{ "no line", "", "." },
		{ "an empty line", "\n", ";." },
		{ "two lines", "1 22\n163839\n", "1,22,;163839,;." },
		{ "empty lines are kept", "\n1\n\n\n2\n", ";1,;;;2,;." },
		{ "blanks, tabs and commas", ", 1,\t2 ,,3\t\n", "1,2,3,;." },
		{ "no newline at the end", "1\n2", "1,;2,;." },
		{ "nor IDs", "1\n ", "1,;;." },
		{ "leading zeros", "0007 00000000000000000000000001\n",
		    "7,1,;." },
	};
	struct k3_ids ids;
	struct k3_err err;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		k3_ids_init_mem(&ids, t[i].text, strlen(t[i].text), "t",
		    163840);
		if (!ok(strcmp(read_all(&ids, &err), t[i].want) == 0, "%s",
			t[i].what))
			diag("got \"%s\"", read_all(&ids, &err));
	}
}

static void
check_bad(void)
{
	static const struct {
		const char *text, *msg;
	} bad[] = {
		{ "1\n163840\n",
		    "'t' line 2: token ID 163840 is not below 163840" },
		{ "4294967296",
		    "'t' line 1: token ID 4294967296 is not below 163840" },
		{ "99999999999999999999999",
		    "'t' line 1: token ID is not below 163840" },
		{ "18446744073709551617",
		    "'t' line 1: token ID is not below 163840" },
		{ "x\n", "'t' line 1: 'x' is not part of a token ID" },
		{ "\n1x\n", "'t' line 2: 'x' is not part of a token ID" },
		{ "-1\n", "'t' line 1: '-' is not part of a token ID" },
		{ "1;2\n", "'t' line 1: ';' is not part of a token ID" },
		{ "1\r\n", "'t' line 1: byte 0x0d is not part of a token ID" },
		{ "\xc2\xa0",
		    "'t' line 1: byte 0xc2 is not part of a token ID" },
	};
	struct k3_ids ids;
	struct k3_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const char *got;

		k3_ids_init_mem(&ids, bad[i].text, strlen(bad[i].text), "t",
		    163840);
		got = read_all(&ids, &err);
		if (!ok(got[strlen(got) - 1] == '!' && err.code == EX_DATAERR &&
			    strcmp(err.msg, bad[i].msg) == 0,
			"bad stream %zu is refused", i))
			diag("got \"%s\"", err.msg);
	}
	k3_ids_init_mem(&ids, "a\0", 2, "t", 9);
	ids.p++;
	ok(read_all(&ids, &err)[0] == '!', "a NUL byte is refused");
}

static int
count_wait(void *arg, struct k3_err *err)
{
	if (*(int *)arg == 3)
		return k3_fail(err, EX_IOERR, "enough");
	++*(int *)arg;
	return 0;
}

/* IDs come through a pipe in three pieces, one of them inside a number. */
static void
check_pipe(void)
{
	struct k3_ids ids;
	struct k3_err err;
	int fd[2], waits = 0;
	uint32_t id = 0;

	ok(pipe(fd) == 0 && write(fd[1], "12 3", 4) == 4, "a pipe");
	k3_ids_init(&ids, fd[0], "t", 163840);
	ids.wait = count_wait;
	ids.arg = &waits;
	ok(k3_ids_get(&ids, &id, &err) == K3_IDS_ID && id == 12 && waits == 1,
	    "an ID is known as soon as the blank is there");
	ok(write(fd[1], "4\n", 2) == 2 &&
		k3_ids_get(&ids, &id, &err) == K3_IDS_ID && id == 34 &&
		k3_ids_get(&ids, &id, &err) == K3_IDS_END && ids.line == 1,
	    "a number that comes in two reads");
	ok(waits == 2, "one wait for each read");
	close(fd[1]);
	ok(k3_ids_get(&ids, &id, &err) == K3_IDS_EOF &&
		k3_ids_get(&ids, &id, &err) == -1 &&
		strcmp(err.msg, "enough") == 0,
	    "the end; a wait that fails");
	close(fd[0]);
	k3_ids_init(&ids, fd[0], "t", 1);
	ok(k3_ids_get(&ids, &id, &err) == -1 && err.code == EX_IOERR,
	    "a read that fails");
}

static void
check_line(void)
{
	static const char text[] = "1 2 3\n\n4\n1 2 3 4\n";
	struct k3_ids_seq seq = { 0 };
	struct k3_ids ids;
	struct k3_err err;
	char *many;

	k3_ids_init_mem(&ids, text, strlen(text), "t", 9);
	ok(k3_ids_line(&ids, &seq, 3, &err) == 1 && seq.n == 3 &&
		seq.id[2] == 3,
	    "a whole line");
	ok(k3_ids_line(&ids, &seq, 3, &err) == 1 && seq.n == 0, "an empty one");
	ok(k3_ids_line(&ids, &seq, 3, &err) == 1 && seq.n == 1 &&
		seq.id[0] == 4,
	    "the next one takes its place");
	ok(k3_ids_line(&ids, &seq, 3, &err) == -1 && err.code == EX_DATAERR &&
		strcmp(err.msg, "'t' line 4: more than 3 token IDs") == 0,
	    "one that is too long");
	many = malloc(20000);
	memset(many, ' ', 20000);
	for (int i = 0; i < 20000; i += 2)
		many[i] = '7';
	k3_ids_init_mem(&ids, many, 20000, "t", 9);
	ok(k3_ids_line(&ids, &seq, SIZE_MAX, &err) == 1 && seq.n == 10000 &&
		seq.id[9999] == 7 &&
		k3_ids_line(&ids, &seq, SIZE_MAX, &err) == 0,
	    "a long one, and the end");
	free(many);
	k3_ids_seq_fini(&seq);
	ok(seq.id == NULL && seq.cap == 0, "freed");
}

static void
check_write(void)
{
	struct k3_ids_out out = { .name = "t", .flush = true };
	struct k3_err err;
	char *text = NULL;
	size_t len = 0;

	out.fp = open_memstream(&text, &len);
	ok(k3_ids_put(&out, 0, &err) == 0 && len == 1 &&
		k3_ids_put(&out, UINT32_MAX, &err) == 0 && len == 12 &&
		k3_ids_end(&out, &err) == 0 && k3_ids_end(&out, &err) == 0 &&
		k3_ids_put(&out, 163840, &err) == 0 &&
		k3_ids_end(&out, &err) == 0 &&
		strcmp(text, "0 4294967295\n\n163840\n") == 0,
	    "IDs are written with one blank between, and pushed on");
	fclose(out.fp);
	free(text);
	out.fp = fopen("/dev/full", "w");
	ok(k3_ids_put(&out, 1, &err) == -1 && err.code == EX_IOERR &&
		strcmp(err.msg, "cannot write 't': No space left on device") ==
		    0,
	    "a full disk is an error");
	fclose(out.fp);
}

int
main(void)
{
	check_good();
	check_bad();
	check_pipe();
	check_line();
	check_write();
	return tap_done();
}
