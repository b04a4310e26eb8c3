/*
 * json.c - JSON documents
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/json.h"
#include "tests/tap.h"

static struct k3_json *
parse(const char *text, struct k3_err *err)
{
	return k3_json_parse(text, strlen(text), "t", err);
}

static int
join(const char *key, const struct k3_json *value, void *arg)
{
	strcat(arg, key);
	return k3_json_type(value) == K3_JSON_NULL ? 7 : 0;
}

static void
check_values(void)
{
	struct k3_err err;
	char keys[32] = "";
	size_t len = 0;
	struct k3_json *doc = parse("{\"i\": -9007199254740993, \"r\": 1.5,\n"
				    "\"b\": true, \"s\": \"a\\u0000\\u00e9\","
				    "\"a\": [1, {}], \"n\": null, \"z\": 0}",
	    &err);
	const struct k3_json *a = k3_json_get(doc, "a");

	ok(k3_json_type(doc) == K3_JSON_OBJECT && k3_json_size(doc) == 7,
	    "an object and its size");
	ok(k3_json_type(k3_json_get(doc, "i")) == K3_JSON_INT &&
		k3_json_int(k3_json_get(doc, "i")) == -9007199254740993,
	    "an integer beyond the 53 bits of a double");
	ok(k3_json_type(k3_json_get(doc, "r")) == K3_JSON_REAL &&
		k3_json_real(k3_json_get(doc, "r")) == 1.5,
	    "a real");
	ok(k3_json_real(k3_json_get(doc, "z")) == 0 &&
		k3_json_int(k3_json_get(doc, "r")) == 0,
	    "an integer read as a real, but no real as an integer");
	ok(k3_json_type(k3_json_get(doc, "b")) == K3_JSON_BOOL &&
		k3_json_bool(k3_json_get(doc, "b")),
	    "a bool");
	ok(memcmp(k3_json_string(k3_json_get(doc, "s"), &len), "a\0\xc3\xa9",
	       5) == 0 &&
		len == 4,
	    "a string with a NUL in it");
	ok(k3_json_size(a) == 2 && k3_json_int(k3_json_at(a, 0)) == 1 &&
		k3_json_at(a, 2) == NULL,
	    "an array and its end");
	ok(k3_json_get(doc, "q") == NULL && k3_json_get(a, "i") == NULL &&
		k3_json_get(NULL, "i") == NULL && k3_json_at(doc, 0) == NULL &&
		k3_json_string(a, NULL) == NULL && k3_json_size(NULL) == 0,
	    "what is not there is NULL");
	ok(k3_json_each(doc, join, keys) == 7 && strcmp(keys, "irbsan") == 0,
	    "each goes in the order of the file, until it is stopped");
	k3_json_free(doc);
}

static void
check_wide(void)
{
	struct k3_err err;
	struct k3_json *doc =
	    parse("[1000000000000000019884624838656, -9223372036854775809,"
		  "9223372036854775, \"12345678901234567890\\\"1\","
		  "0.12345678901234567890, 12345678901234567890e-19]",
		&err);

	ok(doc != NULL && k3_json_real(k3_json_at(doc, 0)) == 1e30 &&
		k3_json_real(k3_json_at(doc, 1)) == -0x1p63,
	    "an integer that 64 bits cannot hold is a real");
	ok(k3_json_type(k3_json_at(doc, 2)) == K3_JSON_INT &&
		strcmp(k3_json_string(k3_json_at(doc, 3), NULL),
		    "12345678901234567890\"1") == 0 &&
		k3_json_real(k3_json_at(doc, 4)) == 0.12345678901234567890 &&
		k3_json_real(k3_json_at(doc, 5)) == 1.234567890123456789,
	    "what stands beside it is as it was");
	k3_json_free(doc);
	ok(parse("[1,\n 1e999]", &err) == NULL && err.code == EX_DATAERR &&
		strncmp(err.msg, "'t' line 2 ", 11) == 0,
	    "a real that no double holds is refused");
}

static void
check_bad(void)
{
	static const struct {
		const char *what, *text, *msg;
	} bad[] = {
		{ "nothing", "", "'t' line 1 column 0: " },
		{ "a bare number", "1", "'t' line 1 column 1: " },
		{ "no end", "{\"a\":\n[1,", "'t' line 2 column 3: " },
		{ "two documents", "{}\n{}", "'t' line 2 column 1: " },
		{ "a key twice", "{\"a\":1,\n\"a\":2}",
		    "'t' line 2 column 3: " },
		{ "a bad byte", "[\"\xff\"]", "'t' line 1 column 2: " },
		{ "a line break in a string", "[\"\n\"]", "'t' line 1 " },
		{ "NUL in a key", "{\"\\u0000\":1}", "'t' line 1 column " },
	};
	struct k3_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		err.msg[0] = '\0';
		if (!ok(parse(bad[i].text, &err) == NULL &&
			    err.code == EX_DATAERR &&
			    strchr(err.msg, '\n') == NULL &&
			    strncmp(err.msg, bad[i].msg, strlen(bad[i].msg)) ==
				0,
			"%s is refused, with the place", bad[i].what))
			diag("got \"%s\"", err.msg);
	}
	ok(k3_json_parse("[1]\0", 4, "t", &err) == NULL,
	    "a NUL byte is refused");
}

static void
check_deep(void)
{
	char deep[5000];
	struct k3_err err;

	memset(deep, '[', sizeof(deep));
	ok(k3_json_parse(deep, sizeof(deep), "t", &err) == NULL &&
		err.code == EX_DATAERR,
	    "too many levels are refused");
}

static void
check_file(void)
{
	char path[] = "/tmp/k3-json-XXXXXX";
	struct k3_json *doc;
	struct k3_err err;
	int fd = mkstemp(path);

	ok(fd != -1 && write(fd, "{\"a\": [2]}\n", 11) == 11, "a file");
	close(fd);
	doc = k3_json_load(path, &err);
	ok(k3_json_int(k3_json_at(k3_json_get(doc, "a"), 0)) == 2, "is loaded");
	k3_json_free(doc);
	unlink(path);
	ok(k3_json_load(path, &err) == NULL && err.code == EX_NOINPUT,
	    "one that is not there");
	ok(k3_json_load("/tmp", &err) == NULL && err.code == EX_IOERR,
	    "one that cannot be read");
}

int
main(void)
{
	check_values();
	check_wide();
	check_bad();
	check_deep();
	check_file();
	return tap_done();
}
