/*
 * escape.c - any bytes as printable text of one line
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/escape.h"
#include "tests/tap.h"

/* What a terminal must not get from a name in a file, in its messages. */
static void
check_mask(void)
{
	static const struct {
		const char *what, *bytes, *want;
	} t[] = {
		{ "a plain message", "'a\\b' \xe4\xb8\xad",
		    "'a\\b' \xe4\xb8\xad" },
		{ "an escape sequence", "\x1b[31mred\r\n", "?[31mred??" },
		{ "one of eight bits",
		    "\x9b"
		    "31m",
		    "?31m" },
		{ "one in UTF-8",
		    "\xc2\x9b"
		    "31m",
		    "??31m" },
		{ "what is near: C2 A0, U+061B, U+200D, U+2027, U+202F, U+206A",
		    "\xc2\xa0\xd8\x9b\xe2\x80\x8d\xe2\x80\xa7\xe2\x80\xaf"
		    "\xe2\x81\xaa",
		    "\xc2\xa0\xd8\x9b\xe2\x80\x8d\xe2\x80\xa7\xe2\x80\xaf"
		    "\xe2\x81\xaa" },
		{ "marks of direction",
		    "1\xd8\x9c"
		    "2\xe2\x80\x8e"
		    "3\xe2\x80\x8f",
		    "1??2???3???" },
		{ "text that is turned round",
		    "\xe2\x80\xaa\xe2\x80\xaetxt.\xe2\x80\xac",
		    "??????txt.???" },
		{ "isolates",
		    "\xe2\x81\xa6"
		    "a\xe2\x81\xa9",
		    "???a???" },
		{ "ends of line and paragraph", "\xe2\x80\xa8\xe2\x80\xa9",
		    "??????" },
		{ "an overlong one", "\xc0\x9b", "??" },
		{ "DEL, and half a character", "\x7f\xe4\xb8", "???" },
	};
	struct k3_err err;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		k3_fail(&err, 1, "%s", t[i].bytes);
		if (!ok(strcmp(err.msg, t[i].want) == 0, "%s", t[i].what))
			diag("got \"%s\"", err.msg);
	}
	errno = ENOENT;
	k3_fail_errno(&err, 1, "\033]0;");
	ok(strncmp(err.msg, "?]0;: ", 6) == 0, "with errno");
}

int
main(void)
{
	static const struct {
		const char *what, *bytes, *want;
	} t[] = {
		{ "plain text", "a b~\"'?", "a b~\"'?" },
		{ "controls with a letter", "\a\b\t\n\v\f\r",
		    "\\a\\b\\t\\n\\v\\f\\r" },
		{ "other controls",
		    "\x1b"
		    "1\x7f",
		    "\\0331\\177" },
		{ "the backslash", "\\n", "\\\\n" },
		{ "UTF-8", "\xe4\xb8\xad\xc2\xa0\xf0\x9f\x98\x80",
		    "\xe4\xb8\xad\xc2\xa0\xf0\x9f\x98\x80" },
		{ "C1 controls", "\xc2\x85", "\\302\\205" },
		{ "a change of direction", "\xe2\x80\xae", "\\342\\200\\256" },
		{ "part of a character",
		    "\xe4\xb8"
		    "1",
		    "\\344\\2701" },
	};
	char *text = NULL;
	size_t len = 0;
	FILE *fp;

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		fp = open_memstream(&text, &len);
		k3_escape(fp, t[i].bytes, strlen(t[i].bytes));
		fclose(fp);
		if (!ok(strcmp(text, t[i].want) == 0, "%s", t[i].what))
			diag("got \"%s\"", text);
		free(text);
	}
	fp = open_memstream(&text, &len);
	k3_escape(fp,
	    "\0"
	    "1",
	    2);
	fclose(fp);
	ok(strcmp(text, "\\0001") == 0, "NUL and a digit");
	free(text);
	check_mask();
	return tap_done();
}
