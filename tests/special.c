/*
 * special.c - the special tokens of a tokenizer
 */
#include <stdlib.h>
#include <string.h>

#include "common/special.h"
#include "tests/tap.h"

/* IDs 100 to 109, with the names that the text of a config gives. */
static int
init(struct k3_special *special, const char *text, struct k3_err *err)
{
	struct k3_json *config = k3_json_parse(text, strlen(text), "t", err);
	int status = k3_special_init(special, config, "t", 100, 10, err);

	k3_json_free(config);
	return status;
}

static void
check_find(void)
{
	static const struct {
		const char *what, *text;
		size_t len;
		uint32_t id;
	} t[] = {
		{ "a name", "[A]x", 3, 100 },
		{ "at the end of the text", "[A]", 3, 100 },
		{ "cut short", "[A", 0, 0 },
		{ "the longest of three", "<<a>>b", 6, 103 },
		{ "the one before it", "<<a>>x", 5, 102 },
		{ "the shortest", "<<a>x", 2, 101 },
		{ "a reserved one", "<|reserved_token_109|>", 22, 109 },
		{ "one whose ID has a name", "<|reserved_token_103|>", 0, 0 },
		{ "one beyond the last", "<|reserved_token_110|>", 0, 0 },
		{ "one with a zero too much", "<|reserved_token_0109|>", 0, 0 },
		{ "bytes above 0x7F", "\xe2\x96\x81\xe2", 3, 104 },
		{ "other text", "x[A]", 0, 0 },
	};
	struct k3_special s;
	struct k3_err err;

	ok(init(&s,
	       "{\"added_tokens_decoder\": {\"100\": {\"content\": \"[A]\"},"
	       "\"103\": {\"content\": \"<<a>>b\"}, \"101\": {\"content\": "
	       "\"<<\"}, \"102\": {\"content\": \"<<a>>\"}, \"104\": "
	       "{\"content\": \"\\u2581\"}}}",
	       &err) == 0,
	    "five names of ten");
	ok(strcmp(s.token[3].name, "<<a>>b") == 0 && s.token[3].id == 103 &&
		strcmp(s.token[9].name, "<|reserved_token_109|>") == 0,
	    "an ID's name");
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		size_t len = strlen(t[i].text), got;
		char *exact = malloc(len);
		uint32_t id = 0;

		memcpy(exact, t[i].text, len);
		got = k3_special_find(&s, exact, len, &id);
		if (!ok(got == t[i].len && id == t[i].id, "%s", t[i].what))
			diag("got length %zu, ID %u", got, id);
		free(exact);
	}
	k3_special_fini(&s);
}

static void
check_bad(void)
{
	static const struct {
		const char *what, *added, *msg;
	} bad[] = {
		{ "no object", "[]", ": not an object" },
		{ "a rank's ID", "{\"99\": {\"content\": \"a\"}}",
		    ": '99' is not an ID from 100 to 109" },
		{ "an ID beyond the last", "{\"110\": {\"content\": \"a\"}}",
		    ": '110' is not an ID from 100 to 109" },
		{ "a huge ID", "{\"4294967396\": {\"content\": \"a\"}}",
		    ": '4294967396' is not an ID from 100 to 109" },
		{ "an ID with a zero before it",
		    "{\"0100\": {\"content\": \"a\"}}",
		    ": '0100' is not an ID from 100 to 109" },
		{ "a key that is no number", "{\"x\": {\"content\": \"a\"}}",
		    ": 'x' is not an ID from 100 to 109" },
		{ "an empty key", "{\"\": {\"content\": \"a\"}}",
		    ": '' is not an ID from 100 to 109" },
		{ "no content", "{\"100\": {}}",
		    ": ID 100 has no content of 1 to 256 bytes" },
		{ "an empty content", "{\"100\": {\"content\": \"\"}}",
		    ": ID 100 has no content of 1 to 256 bytes" },
		{ "a content that is no text", "{\"100\": {\"content\": 1}}",
		    ": ID 100 has no content of 1 to 256 bytes" },
		{ "an ID that is no object", "{\"100\": \"a\"}",
		    ": ID 100 has no content of 1 to 256 bytes" },
		{ "two with one name",
		    "{\"100\": {\"content\": \"a\"},"
		    "\"105\": {\"content\": \"a\"}}",
		    ": IDs 100 and 105 are both 'a'" },
	};
	char text[200], want[200];
	struct k3_special s;
	struct k3_err err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(text, sizeof(text), "{\"added_tokens_decoder\": %s}",
		    bad[i].added);
		snprintf(want, sizeof(want), "'t' added_tokens_decoder%s",
		    bad[i].msg);
		if (!ok(init(&s, text, &err) == -1 && err.code == EX_DATAERR &&
			    s.token == NULL && strcmp(err.msg, want) == 0,
			"%s is refused", bad[i].what))
			diag("got \"%s\"", err.msg);
	}
	ok(init(&s, "{}", &err) == -1 && init(&s, "[]", &err) == -1,
	    "a file without added tokens is refused");
	ok(k3_special_init(&s, NULL, "t", 100, K3_SPECIAL_MAX + 1, &err) == -1,
	    "too many special tokens are refused");
}

int
main(void)
{
	check_find();
	check_bad();
	return tap_done();
}
