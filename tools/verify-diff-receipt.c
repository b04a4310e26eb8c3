/*
 * verify-diff-receipt.c - the line that says whether two runs are the same
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool.h"
#include "tools/verify-diff-run.h"

/* Letters of k3-decode whose value follows. */
#define VALUED "jmnpRrt"

static const char *const verdict_name[] = { "same", "different", "shorter",
	"cannot be compared", "cannot be compared" };

/* The value of a word or its letter among the arguments, or NULL. */
static const char *
option(const struct k3_run *run, char letter, const char *word)
{
	const char *value = NULL;
	size_t n = strlen(word);

	for (size_t i = 0; i < run->nargument; i++) {
		const char *arg = run->argument[i], *p;
		const char *next =
		    i + 1 < run->nargument ? run->argument[i + 1] : "";

		if (strcmp(arg, "--") == 0)
			break;
		if (strncmp(arg, "--", 2) == 0) {
			if (strncmp(arg + 2, word, n) != 0)
				continue;
			if (arg[2 + n] == '=')
				value = arg + n + 3;
			else if (arg[2 + n] == '\0')
				value = next;
			continue;
		}
		/* "-qn5": letters up to the first that takes the rest. */
		for (p = arg; *p == '-' || (p > arg && *p != '\0'); p++)
			if (p > arg && strchr(VALUED, *p) != NULL)
				break;
		if (p > arg && *p != '\0' && *p == letter)
			value = p[1] != '\0' ? p + 1 : next;
	}
	return value;
}

/* "WHAT one and two", or "WHAT one" where they are the same. */
static void
both(FILE *fp, const char *what, const char *one, const char *two)
{
	fprintf(fp, "%s %s", what, one);
	if (strcmp(one, two) != 0)
		fprintf(fp, " and %s", two);
}

static void
both_numbers(FILE *fp, const char *what, uint64_t one, uint64_t two)
{
	char a[24], b[24];

	snprintf(a, sizeof(a), "%" PRIu64, one);
	snprintf(b, sizeof(b), "%" PRIu64, two);
	both(fp, what, a, b);
}

/* Options that decide how long a run is. */
static void
put_option(FILE *fp, const struct diff_run *r, char letter, const char *word)
{
	const char *v[2] = { option(&r->run[0], letter, word),
		option(&r->run[1], letter, word) };

	for (int i = 0; i < 2; i++)
		v[i] = v[i] != NULL ? v[i] : "by default";
	if (strcmp(v[0], v[1]) != 0)
		fprintf(fp, ", %s %s and %s", word, v[0], v[1]);
}

/* What may differ from run to run, and what makes it longer. */
static void
put_machines(FILE *fp, const struct diff_run *r)
{
	const struct k3_run *a = &r->run[0], *b = &r->run[1];

	both(fp, "; cpu", a->cpu, b->cpu);
	both_numbers(fp, ", threads", a->threads, b->threads);
	both(fp, ", io", a->io, b->io);
	both_numbers(fp, ", chunk", a->plan.chunk, b->plan.chunk);
	both(fp, ", version", a->version, b->version);
	put_option(fp, r, 'n', "count");
	put_option(fp, r, '\0', "stop");
}

static void
put_parting(FILE *fp, const struct diff_run *r)
{
	const struct k3_run_pass *p = r->pass[0], *q = r->pass[1];

	fprintf(fp, "sequence %" PRIu64 " position %" PRIu64, r->sequence,
	    r->position);
	both_numbers(fp, ", pass", (uint64_t)(p - r->run[0].pass),
	    (uint64_t)(q - r->run[1].pass));
	if (strcmp(r->what, "id") == 0)
		fprintf(fp, ": IDs %" PRIu32 " and %" PRIu32 " were fed",
		    r->id[0], r->id[1]);
	else if (strcmp(r->what, "next") == 0)
		fprintf(fp,
		    ": the same logits, of which %" PRIu32 " and %" PRIu32
		    " were chosen",
		    p->next, q->next);
	else
		fprintf(fp,
		    ": logits %016" PRIx64 " and %016" PRIx64
		    ", of which %" PRIu32 " and %" PRIu32 " were chosen",
		    p->logits, q->logits, p->next, q->next);
	fprintf(fp,
	    "; before that %" PRIu64 " tokens and %" PRIu64 " logits "
	    "are the same",
	    r->tokens, r->logits);
}

static void
put_verdict(FILE *fp, const struct diff *d, const struct diff_run *r)
{
	const struct k3_run *a = &r->run[0], *b = &r->run[1];

	fprintf(fp, "%s: ", verdict_name[r->verdict]);
	switch (r->verdict) {
	case DIFF_DIFFERENT:
		put_parting(fp, r);
		break;
	case DIFF_MODELS:
		fprintf(fp, "models %s and %s", a->fingerprint, b->fingerprint);
		return;
	case DIFF_NOTHING:
		fprintf(fp,
		    "%" PRIu64 " tokens of both, and no logits of the same "
		    "position",
		    r->tokens);
		return;
	case DIFF_SHORTER:
		for (int i = 0; i < 2; i++)
			if (r->only[i] > 0)
				fprintf(fp,
				    "'%s' has %" PRIu64 " tokens more, ",
				    d->name[i], r->only[i]);
		/* fallthrough */
	default:
		fprintf(fp, "%" PRIu64 " tokens and %" PRIu64 " logits%s",
		    r->tokens, r->logits,
		    r->verdict == DIFF_SHORTER ? " are the same" : "");
		both_numbers(fp, ", passes", a->npass, b->npass);
	}
	fprintf(fp, ", model %s", a->fingerprint);
	put_machines(fp, r);
}

static void
show_text(const struct diff *d, const struct diff_run *r)
{
	char *text = NULL;
	size_t len;
	struct k3_err line;
	FILE *fp = open_memstream(&text, &len);

	if (fp != NULL)
		put_verdict(fp, d, r);
	if (fp == NULL || fclose(fp) != 0) {
		k3_fail(&line, EX_OSERR, "cannot allocate a line");
		tool_die(&line);
	}
	/* Arguments may hold anything. */
	k3_fail(&line, EX_OK, "%s", text);
	puts(line.msg);
	free(text);
}

static struct k3_json *
run_json(const struct k3_run *run, const struct k3_run_pass *pass)
{
	struct k3_json *json = k3_json_pack("{s:s,s:I,s:s,s:I,s:s,s:I,s:s}",
	    "model", run->fingerprint, "passes", (int64_t)run->npass, "cpu",
	    run->cpu, "threads", (int64_t)run->threads, "io", run->io, "chunk",
	    (int64_t)run->plan.chunk, "version", run->version);
	char hex[24];

	if (pass == NULL)
		return json;
	json = k3_json_set(json, "pass",
	    k3_json_pack("I", (int64_t)(pass - run->pass)));
	if (!pass->chosen)
		return json;
	snprintf(hex, sizeof(hex), "%016" PRIx64, pass->logits);
	json =
	    k3_json_set(json, "next", k3_json_pack("I", (int64_t)pass->next));
	return k3_json_set(json, "logits", k3_json_pack("s", hex));
}

static void
show_json(struct diff *d, const struct diff_run *r)
{
	struct k3_json *json = k3_json_pack("{s:s,s:s,s:I,s:I,s:I,s:I,s:o,s:o}",
	    "what", "run", "verdict", verdict_name[r->verdict], "tokens",
	    (int64_t)r->tokens, "logits", (int64_t)r->logits, "only_one",
	    (int64_t)r->only[0], "only_two", (int64_t)r->only[1], "one",
	    run_json(&r->run[0], r->pass[0]), "two",
	    run_json(&r->run[1], r->pass[1]));

	if (r->what != NULL)
		json = k3_json_set(json, "parts",
		    k3_json_pack("{s:s,s:I,s:I,s:I,s:I}", "by", r->what,
			"sequence", (int64_t)r->sequence, "position",
			(int64_t)r->position, "id_one", (int64_t)r->id[0],
			"id_two", (int64_t)r->id[1]));
	diff_json(d, json);
}

void
diff_run_show(struct diff *d, const struct diff_run *r)
{
	if (d->json)
		show_json(d, r);
	else
		show_text(d, r);
}
