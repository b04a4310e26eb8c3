/*
 * verify-expect.c - somebody else's run, to compare with
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "tools/verify-expect.h"

static int
no_memory(struct k3_err *err)
{
	k3_fail(err, EX_OSERR, "cannot allocate 'steps': out of memory");
	return -1;
}

/* IDs that go into the prompt. */
static int
add_prompt(struct expect *e, const struct k3_run_pass *pass, uint32_t vocab,
    struct k3_err *err)
{
	for (size_t i = 0; i < pass->n; i++) {
		if (pass->ids[i] >= vocab)
			return k3_fail(err, EX_DATAERR,
			    "'%s': token ID %" PRIu32 " is not below %" PRIu32,
			    e->path, pass->ids[i], vocab);
		e->prompt.id[e->prompt.n++] = pass->ids[i];
	}
	return 0;
}

/* The passes of the report's first sequence, which begins with nothing. */
static int
add_passes(struct expect *e, uint32_t vocab, struct k3_err *err)
{
	const struct k3_run *run = &e->run;
	uint64_t at = 0;

	for (size_t i = 0; i < run->npass; i++) {
		const struct k3_run_pass *pass = &run->pass[i];

		if (pass->sequence != run->pass[0].sequence)
			continue;
		if (pass->position != at)
			return k3_fail(err, EX_DATAERR,
			    "'%s': the run goes on with a session, at position "
			    "%" PRIu64,
			    e->path, pass->position);
		at += pass->n;
		if (pass->kind == 'p' && add_prompt(e, pass, vocab, err) != 0)
			return -1;
		if (pass->chosen)
			e->step[e->n++] =
			    (struct replay_step){ .logits = pass->logits,
				    .id = pass->next };
	}
	return 0;
}

static int
from_report(struct expect *e, const char *text, size_t len, uint32_t vocab,
    struct k3_err *err)
{
	const struct k3_run *run = &e->run;
	size_t most = 0;

	if (k3_run_parse(&e->run, text, len, e->path, err) != 0)
		return -1;
	e->report = true;
	for (size_t i = 0; i < run->npass; i++)
		most += run->pass[i].n;
	e->prompt.id = calloc(most + 1, sizeof(*e->prompt.id));
	e->step = calloc(run->npass + 1, sizeof(*e->step));
	if (e->prompt.id == NULL || e->step == NULL)
		return no_memory(err);
	if (add_passes(e, vocab, err) != 0)
		return -1;
	if (e->n == 0 || e->prompt.n == 0)
		return k3_fail(err, EX_DATAERR,
		    "'%s': no ID was generated in this run", e->path);
	return 0;
}

/* One sequence, of which something is there. */
static int
only_line(struct k3_ids *ids, struct k3_ids_seq *seq, const char *path,
    struct k3_err *err)
{
	struct k3_ids_seq next = { 0 };
	int got = k3_ids_line(ids, seq, 1 << 20, err);

	if (got == 0 || (got == 1 && seq->n == 0))
		return k3_fail(err, EX_DATAERR, "'%s': no IDs", path);
	if (got == 1)
		got = k3_ids_line(ids, &next, 1 << 20, err);
	k3_ids_seq_fini(&next);
	if (got == 1)
		return k3_fail(err, EX_DATAERR,
		    "'%s' line 2: a second sequence, and one is compared",
		    path);
	return got;
}

static int
from_ids(struct expect *e, const char *text, size_t len, uint32_t vocab,
    struct k3_err *err)
{
	struct k3_ids_seq seq = { 0 };
	struct k3_ids *ids = malloc(sizeof(*ids));
	int got;

	if (ids == NULL)
		return no_memory(err);
	k3_ids_init_mem(ids, text, len, e->path, vocab);
	got = only_line(ids, &seq, e->path, err);
	free(ids);
	if (got == 0)
		e->step = calloc(seq.n + 1, sizeof(*e->step));
	for (size_t i = 0; got == 0 && e->step != NULL && i < seq.n; i++)
		e->step[e->n++].id = seq.id[i];
	k3_ids_seq_fini(&seq);
	if (got == 0 && e->step == NULL)
		return no_memory(err);
	return got;
}

int
expect_load(struct expect *e, const char *path, uint32_t vocab,
    struct k3_err *err)
{
	struct k3_buf buf = { 0 };
	int ret = k3_buf_load(&buf, path, err);
	size_t at = 0;

	memset(e, 0, sizeof(*e));
	e->path = path;
	while (at < buf.len && strchr(" \t\r\n", buf.data[at]) != NULL)
		at++;
	if (ret == 0 && at < buf.len && buf.data[at] == '{')
		ret = from_report(e, buf.data, buf.len, vocab, err);
	else if (ret == 0)
		ret = from_ids(e, buf.data, buf.len, vocab, err);
	k3_buf_fini(&buf);
	if (ret != 0)
		expect_free(e);
	return ret;
}

void
expect_free(struct expect *e)
{
	k3_run_free(&e->run);
	k3_ids_seq_fini(&e->prompt);
	free(e->step);
	memset(e, 0, sizeof(*e));
}

/* Only IDs: logits are not compared. */
static void
compare_ids(const struct expect *e, const struct replay_step *step, uint32_t n,
    struct ladder_rung *rung)
{
	for (uint32_t i = 0; i < n; i++) {
		if (step[i].id == e->step[i].id)
			rung->good++;
		else if (rung->first[0] == '\0')
			snprintf(rung->first, sizeof(rung->first),
			    "'%.900s': step %" PRIu32 ": ID %" PRIu32
			    " (want %" PRIu32 ")",
			    e->path, i, step[i].id, e->step[i].id);
	}
}

void
expect_compare(const struct expect *e, const char *fingerprint,
    const struct replay_step *step, uint32_t count, struct ladder_rung *rung)
{
	uint32_t n = count < e->n ? count : e->n;
	char where[910];

	rung->of = n;
	rung->left = e->n - n;
	snprintf(where, sizeof(where), "'%.900s'", e->path);
	if (!e->report)
		compare_ids(e, step, n, rung);
	else if (strcmp(e->run.fingerprint, fingerprint) != 0)
		snprintf(rung->first, sizeof(rung->first),
		    "%s: a run of another model: %s (this is %s)", where,
		    e->run.fingerprint, fingerprint);
	else
		rung->good = ladder_compare(rung, where, step, e->step, 0, n);
}
