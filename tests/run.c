/*
 * run.c - run reports: what is read, what is refused, and what is said
 *
 * Each field of a good report is taken away, and given values that it cannot
 * have.
 */
#include <stdlib.h>
#include <string.h>

#include "common/run.h"
#include "tests/tap.h"

static const char good[] =
    "{\"k3-report\":1,\"tool\":\"k3-decode\",\"version\":\"0.1\","
    "\"arguments\":[\"-r\",\"8G\"],\"cpu\":\"avx2\",\"threads\":4,"
    "\"io\":\"aio\",\"fingerprint\":\"0123456789abcdef0123456789abcdef\",\n"
    "\"model\":{\"files\":1,\"tensors\":2,\"checkpoint_bytes\":3,"
    "\"moe_layers\":4,\"experts\":5,\"expert_bytes\":6,"
    "\"all_expert_bytes\":7,\"layers\":8,\"trunk_bytes\":9,"
    "\"head_bytes\":10,\"kda_state_bytes\":11,\"conv_state_bytes\":12,"
    "\"latent_bytes_a_position\":13},\n"
    "\"plan\":{\"items\":[{\"name\":\"ring\",\"bytes\":30},"
    "{\"name\":\"cache\",\"bytes\":40}],\"total\":70,\"chunk\":8,"
    "\"context\":100,\"cached_experts\":9,\"pinned_bytes\":50,"
    "\"trunk_bytes_a_pass\":60,\"beside_bytes_a_pass\":20,"
    "\"expert_bytes_a_token\":61},\n"
    "\"passes\":[\n"
    "{\"kind\":\"p\",\"sequence\":0,\"position\":0,\"ids\":[4,4294967295],"
    "\"seconds\":{\"wall\":6,\"compute\":1,\"trunk_wait\":2.5,"
    "\"expert_wait\":2.5,\"other\":0.0},\"counters\":{\"trunk_bytes\":60,"
    "\"expert_bytes\":18,\"demands\":5,\"hits\":2,\"misses\":3,"
    "\"evictions\":0,\"bypassed\":0,\"guessed_right\":0,"
    "\"guessed_wrong\":0},\"reads\":{\"bytes\":4096,\"busy\":1.5,"
    "\"depth\":7.5},\"next\":17,\"logits\":\"ffffffffffffffff\"},\n"
    "{\"kind\":\"d\",\"sequence\":0,\"position\":2,\"ids\":[17],"
    "\"seconds\":{\"wall\":6,\"compute\":1,\"trunk_wait\":2.5,"
    "\"expert_wait\":2.5,\"other\":-1e-9},\"counters\":{\"trunk_bytes\":60,"
    "\"expert_bytes\":18,\"demands\":5,\"hits\":2,\"misses\":3,"
    "\"evictions\":0,\"bypassed\":0,\"guessed_right\":0,"
    "\"guessed_wrong\":0},\"reads\":{\"bytes\":4096,\"busy\":1.5,"
    "\"depth\":7.5}}\n],\n"
    "\"total\":{\"seconds\":{\"wall\":13,\"compute\":2,\"trunk_wait\":5,"
    "\"expert_wait\":5,\"other\":1},\"counters\":{\"trunk_bytes\":120,"
    "\"expert_bytes\":36,\"demands\":10,\"hits\":4,\"misses\":6,"
    "\"evictions\":0,\"bypassed\":0,\"guessed_right\":0,"
    "\"guessed_wrong\":0},\"reads\":{\"bytes\":8192,\"busy\":3,"
    "\"depth\":7.5},\"unused_bytes\":5},\n"
    "\"peak_bytes\":69}\n";

/* What no field can be; each is refused in the place of any value. */
static const char *const bad[] = { "-1", "1e300", "null", "true", "{}", "[[]]",
	"\"\\u0007\"", "9223372036854775807", "[0.5]" };

static void
test_good(void)
{
	struct k3_run run;
	struct k3_err err;

	ok(k3_run_parse(&run, good, strlen(good), "good", &err) == 0,
	    "a good report");
	ok(strcmp(run.cpu, "avx2") == 0 && run.threads == 4 &&
		run.model.expert_bytes == 6 && run.model.layers == 8 &&
		run.plan.ring == 30 && run.plan.cache == 40 &&
		run.plan.expert_bytes_a_token == 61 && run.peak_bytes == 69 &&
		run.unused_bytes == 5 && run.total.counters.misses == 6,
	    "its head and its end");
	ok(run.nargument == 2 && strcmp(run.argument[1], "8G") == 0,
	    "its arguments");
	ok(run.npass == 2 && run.pass[0].n == 2 &&
		run.pass[0].ids[1] == UINT32_MAX && run.pass[0].chosen &&
		run.pass[0].next == 17 && run.pass[0].logits == UINT64_MAX &&
		run.pass[1].kind == 'd' && run.pass[1].ids[0] == 17 &&
		run.pass[1].position == 2 && !run.pass[1].chosen,
	    "its passes");
	ok(run.pass[0].part.seconds.trunk_wait == 2.5 &&
		run.pass[0].part.reads.depth == 7.5 &&
		run.pass[1].part.seconds.other == 0,
	    "their seconds, of which none is below 0");
	k3_run_free(&run);
}

/* Is 'text' refused as data, with a message of one line? */
static bool
refused(const char *text, size_t len, struct k3_err *err)
{
	struct k3_run run;

	memset(err, 0, sizeof(*err));
	if (k3_run_parse(&run, text, len, "bad", err) == 0) {
		k3_run_free(&run);
		return false;
	}
	return err->code == EX_DATAERR && strncmp(err->msg, "'bad'", 5) == 0 &&
	       strchr(err->msg, '\n') == NULL;
}

/* The end of the value that begins at 'p'. */
static const char *
value_end(const char *p)
{
	size_t depth = 0;

	if (*p == '"')
		return strchr(p + 1, '"') + 1;
	for (;; p++) {
		if (depth == 0 && (*p == ',' || *p == '}' || *p == ']'))
			return p;
		depth += *p == '{' || *p == '[';
		depth -= *p == '}' || *p == ']';
		if (depth == 0 && (*p == '}' || *p == ']'))
			return p + 1;
	}
}

/* The good report with the bytes from 'from' to 'to' replaced. */
static char *
replace(const char *from, const char *to, const char *by)
{
	char *text;

	if (asprintf(&text, "%.*s%s%s", (int)(from - good), good, by, to) == -1)
		abort();
	return text;
}

static void
test_field(const char *key, const char *colon)
{
	const char *value = colon + 1, *end = value_end(value);
	struct k3_err err;
	char want[64], *text = replace(colon - 2, colon, "_\"");
	bool fine;

	snprintf(want, sizeof(want), ": no '%.*s'", (int)(colon - 1 - key),
	    key);
	fine = refused(text, strlen(text), &err) && strstr(err.msg, want);
	free(text);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		text = replace(value, end, bad[i]);
		fine = refused(text, strlen(text), &err) && fine;
		free(text);
	}
	if (!ok(fine, "%.*s is needed, and checked", (int)(colon - 1 - key),
		key))
		diag("last message: %s", err.msg);
}

static void
test_fields(void)
{
	unsigned n = 0;

	for (const char *p = strstr(good, "\":"); p != NULL;
	     p = strstr(p + 1, "\":")) {
		const char *key = p;

		while (key[-1] != '"')
			key--;
		test_field(key, p + 1);
		n++;
	}
	ok(n == 110, "all fields were seen: %u", n);
}

static void
test_said(void)
{
	const char *hits = strstr(good, "\"hits\":2");
	const char *wall = strstr(good, "6,\"compute\"");
	struct k3_err err;
	char *text = replace(hits + 7, hits + 8, "6");
	bool fine = true;

	ok(refused(text, strlen(text), &err) &&
		strcmp(err.msg,
		    "'bad' pass 0: 6 hits and 3 misses of 5 demands") == 0,
	    "more hits than demands");
	free(text);
	text = replace(wall, wall + 1, "7");
	ok(refused(text, strlen(text), &err) &&
		strcmp(err.msg,
		    "'bad' pass 0: parts of 7 s that add up to 6 s") == 0,
	    "parts that are not the whole");
	free(text);
	text = replace(good + 13, good + 14, "2");
	ok(refused(text, strlen(text), &err) &&
		strcmp(err.msg, "'bad': a report of version 2 (want 1)") == 0,
	    "another version");
	free(text);
	for (size_t i = 1; i + 2 < sizeof(good); i++)
		fine = fine && refused(good, i, &err) &&
		       strstr(err.msg, "in the middle of a report") != NULL;
	ok(fine, "a report that is cut anywhere is said to be");
	ok(refused("", 0, &err) && refused("[]", 2, &err) &&
		strcmp(err.msg, "'bad': no 'k3-report'") == 0,
	    "nothing, and no report");
}

static void
test_stream(void)
{
	FILE *fp = tmpfile();
	struct k3_run run;
	struct k3_err err;

	ok(fp != NULL && fputs(good, fp) >= 0 && fseek(fp, 0, SEEK_SET) == 0 &&
		k3_run_read(&run, fp, "stream", &err) == 0 && run.npass == 2,
	    "from a stream");
	k3_run_free(&run);
	fclose(fp);
	fp = fopen("/", "r");
	ok(fp != NULL && k3_run_read(&run, fp, "/", &err) == -1 &&
		err.code == EX_IOERR,
	    "a stream that cannot be read");
	fclose(fp);
}

int
main(void)
{
	test_good();
	test_fields();
	test_said();
	test_stream();
	return tap_done();
}
