/*
 * run.c - a run that is over, read from its report (k3-report(5))
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/json.h"
#include "common/run-field.h"
#include "common/run.h"

#define VERSION  1
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* clang-format off */
#define FIELD(type, name) { #name, offsetof(struct k3_run_##type, name) }
/* clang-format on */

static const struct k3_run_field model_fields[] = {
	FIELD(model, files),
	FIELD(model, tensors),
	FIELD(model, checkpoint_bytes),
	FIELD(model, layers),
	FIELD(model, moe_layers),
	FIELD(model, experts),
	FIELD(model, expert_bytes),
	FIELD(model, all_expert_bytes),
	FIELD(model, trunk_bytes),
	FIELD(model, head_bytes),
	FIELD(model, kda_state_bytes),
	FIELD(model, conv_state_bytes),
	FIELD(model, latent_bytes_a_position),
};

static const struct k3_run_field plan_fields[] = {
	FIELD(plan, total),
	FIELD(plan, chunk),
	FIELD(plan, context),
	FIELD(plan, cached_experts),
	FIELD(plan, pinned_bytes),
	FIELD(plan, trunk_bytes_a_pass),
	FIELD(plan, beside_bytes_a_pass),
	FIELD(plan, expert_bytes_a_token),
};

static const struct k3_run_field seconds_fields[] = {
	FIELD(seconds, wall),
	FIELD(seconds, compute),
	FIELD(seconds, trunk_wait),
	FIELD(seconds, expert_wait),
	FIELD(seconds, other),
};

static const struct k3_run_field counters_fields[] = {
	FIELD(counters, trunk_bytes),
	FIELD(counters, expert_bytes),
	FIELD(counters, demands),
	FIELD(counters, hits),
	FIELD(counters, misses),
	FIELD(counters, evictions),
	FIELD(counters, bypassed),
	FIELD(counters, guessed_right),
	FIELD(counters, guessed_wrong),
};

static const struct k3_run_field reads_wholes[] = { FIELD(reads, bytes) };
static const struct k3_run_field reads_reals[] = {
	FIELD(reads, busy),
	FIELD(reads, depth),
};

/* The fields that a pass and the total share. */
static int
read_part(struct k3_run_part *part, const struct k3_json *obj,
    const struct k3_run_place *at)
{
	const struct k3_json *seconds, *counters, *reads;
	const struct k3_run_counters *c = &part->counters;
	const struct k3_run_seconds *s = &part->seconds;
	double sum;

	if ((seconds = k3_run_object(at, obj, "seconds")) == NULL ||
	    k3_run_reals(at, seconds, seconds_fields, COUNT(seconds_fields),
		&part->seconds) != 0 ||
	    (counters = k3_run_object(at, obj, "counters")) == NULL ||
	    k3_run_wholes(at, counters, counters_fields, COUNT(counters_fields),
		&part->counters) != 0 ||
	    (reads = k3_run_object(at, obj, "reads")) == NULL ||
	    k3_run_wholes(at, reads, reads_wholes, COUNT(reads_wholes),
		&part->reads) != 0 ||
	    k3_run_reals(at, reads, reads_reals, COUNT(reads_reals),
		&part->reads) != 0)
		return -1;
	sum = s->compute + s->trunk_wait + s->expert_wait + s->other;
	if (fabs(sum - s->wall) > 1e-6 + 1e-9 * s->wall)
		return k3_fail(at->err, EX_DATAERR,
		    "'%s'%s: parts of %.9g s that add up to %.9g s", at->name,
		    at->where, s->wall, sum);
	if (c->hits > c->demands || c->misses != c->demands - c->hits)
		return k3_fail(at->err, EX_DATAERR,
		    "'%s'%s: %" PRIu64 " hits and %" PRIu64
		    " misses of %" PRIu64 " demands",
		    at->name, at->where, c->hits, c->misses, c->demands);
	return 0;
}

/* Items that are not known here are somebody else's. */
static int
read_plan(struct k3_run_plan *plan, const struct k3_json *obj,
    const struct k3_run_place *at)
{
	const struct k3_json *items = k3_run_array(at, obj, "items");
	char name[K3_RUN_TEXT];
	uint64_t bytes;

	if (items == NULL)
		return -1;
	for (size_t i = 0; i < k3_json_size(items); i++) {
		const struct k3_json *item = k3_json_at(items, i);

		if (k3_run_text(at, item, "name", name, sizeof(name)) != 0 ||
		    k3_run_whole(at, k3_json_get(item, "bytes"), "bytes",
			K3_RUN_MAX_WHOLE, &bytes) != 0)
			return -1;
		if (strcmp(name, "ring") == 0)
			plan->ring = bytes;
		else if (strcmp(name, "cache") == 0)
			plan->cache = bytes;
	}
	return k3_run_wholes(at, obj, plan_fields, COUNT(plan_fields), plan);
}

static int
read_arguments(struct k3_run *run, const struct k3_json *json,
    const struct k3_run_place *at)
{
	const struct k3_json *array = k3_run_array(at, json, "arguments");
	size_t n = k3_json_size(array);

	if (array == NULL)
		return -1;
	run->argument = calloc(n + 1, sizeof(*run->argument));
	if (run->argument == NULL)
		return k3_fail(at->err, EX_OSERR,
		    "cannot read '%s': out of memory", at->name);
	for (size_t i = 0; i < n; i++) {
		const char *text = k3_json_string(k3_json_at(array, i), NULL);

		if (text == NULL)
			return k3_fail(at->err, EX_DATAERR,
			    "'%s': argument %zu is not a text", at->name, i);
		if ((run->argument[i] = strdup(text)) == NULL)
			return k3_fail(at->err, EX_OSERR,
			    "cannot read '%s': out of memory", at->name);
		run->nargument++;
	}
	return 0;
}

static int
read_head(struct k3_run *run, const struct k3_json *json,
    const struct k3_run_place *at)
{
	struct k3_run_place model = { at->name, " model", at->err };
	struct k3_run_place plan = { at->name, " plan", at->err };
	const struct k3_json *obj;
	uint64_t version;

	if (k3_run_whole(at, k3_json_get(json, "k3-report"), "k3-report",
		K3_RUN_MAX_WHOLE, &version) != 0)
		return -1;
	if (version != VERSION)
		return k3_fail(at->err, EX_DATAERR,
		    "'%s': a report of version %" PRIu64 " (want %d)", at->name,
		    version, VERSION);
	if (k3_run_text(at, json, "tool", run->tool, K3_RUN_TEXT) != 0 ||
	    k3_run_text(at, json, "version", run->version, K3_RUN_TEXT) != 0 ||
	    read_arguments(run, json, at) != 0 ||
	    k3_run_text(at, json, "cpu", run->cpu, K3_RUN_TEXT) != 0 ||
	    k3_run_whole(at, k3_json_get(json, "threads"), "threads",
		K3_RUN_MAX_WHOLE, &run->threads) != 0 ||
	    k3_run_text(at, json, "io", run->io, K3_RUN_TEXT) != 0 ||
	    k3_run_hex(at, json, "fingerprint", run->fingerprint, 32) != 0 ||
	    (obj = k3_run_object(at, json, "model")) == NULL ||
	    k3_run_wholes(&model, obj, model_fields, COUNT(model_fields),
		&run->model) != 0 ||
	    (obj = k3_run_object(at, json, "plan")) == NULL)
		return -1;
	return read_plan(&run->plan, obj, &plan);
}

/* What a pass chose, if it had logits. */
static int
read_choice(struct k3_run_pass *pass, const struct k3_json *json,
    const struct k3_run_place *at)
{
	const struct k3_json *next = k3_json_get(json, "next");
	char hex[17];
	uint64_t id;

	if (next == NULL && k3_json_get(json, "logits") == NULL)
		return 0;
	if (k3_run_whole(at, next, "next", UINT32_MAX, &id) != 0 ||
	    k3_run_hex(at, json, "logits", hex, 16) != 0)
		return -1;
	pass->chosen = true;
	pass->next = (uint32_t)id;
	pass->logits = strtoull(hex, NULL, 16);
	return 0;
}

/* One pass, whose IDs go to 'ids'. */
static int
read_pass(struct k3_run_pass *pass, const struct k3_json *json, uint32_t *ids,
    const struct k3_run_place *at)
{
	static const struct k3_run_field where[] = {
		FIELD(pass, sequence),
		FIELD(pass, position),
	};
	const struct k3_json *array;
	uint64_t id;
	char kind[2];

	if (k3_run_text(at, json, "kind", kind, sizeof(kind)) != 0)
		return -1;
	if (kind[0] != 'p' && kind[0] != 'd')
		return k3_fail(at->err, EX_DATAERR,
		    "'%s'%s: 'kind' is neither 'p' nor 'd'", at->name,
		    at->where);
	pass->kind = kind[0];
	if (k3_run_wholes(at, json, where, COUNT(where), pass) != 0 ||
	    (array = k3_run_array(at, json, "ids")) == NULL)
		return -1;
	pass->ids = ids;
	pass->n = k3_json_size(array);
	for (size_t i = 0; i < pass->n; i++) {
		if (k3_run_whole(at, k3_json_at(array, i), "ids", UINT32_MAX,
			&id) != 0)
			return -1;
		ids[i] = (uint32_t)id;
	}
	return read_part(&pass->part, json, at) != 0
		   ? -1
		   : read_choice(pass, json, at);
}

static int
read_passes(struct k3_run *run, const struct k3_json *json,
    const struct k3_run_place *top)
{
	const struct k3_json *array = k3_run_array(top, json, "passes");
	struct k3_run_place at = *top;
	size_t n = k3_json_size(array), nid = 0;

	if (array == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		nid += k3_json_size(k3_json_get(k3_json_at(array, i), "ids"));
	run->pass = calloc(n + 1, sizeof(*run->pass));
	run->ids = calloc(nid + 1, sizeof(*run->ids));
	if (run->pass == NULL || run->ids == NULL)
		return k3_fail(at.err, EX_OSERR,
		    "cannot read '%s': out of memory", at.name);
	nid = 0;
	for (size_t i = 0; i < n; i++) {
		snprintf(at.where, sizeof(at.where), " pass %zu", i);
		if (read_pass(&run->pass[i], k3_json_at(array, i),
			run->ids + nid, &at) != 0)
			return -1;
		nid += run->pass[i].n;
		run->npass++;
	}
	return 0;
}

static int
read_document(struct k3_run *run, const struct k3_json *json,
    const struct k3_run_place *at)
{
	struct k3_run_place in = { at->name, " total", at->err };
	const struct k3_json *total;

	if (read_head(run, json, at) != 0 || read_passes(run, json, at) != 0 ||
	    (total = k3_run_object(at, json, "total")) == NULL ||
	    read_part(&run->total, total, &in) != 0 ||
	    k3_run_whole(&in, k3_json_get(total, "unused_bytes"),
		"unused_bytes", K3_RUN_MAX_WHOLE, &run->unused_bytes) != 0)
		return -1;
	return k3_run_whole(at, k3_json_get(json, "peak_bytes"), "peak_bytes",
	    K3_RUN_MAX_WHOLE, &run->peak_bytes);
}

/* Does the text end inside of an object, an array or a string? */
static bool
ends_early(const char *text, size_t len)
{
	bool string = false;
	size_t depth = 0;

	for (size_t i = 0; i < len; i++) {
		if (string && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			string = !string;
		else if (!string && (text[i] == '{' || text[i] == '['))
			depth++;
		else if (!string && (text[i] == '}' || text[i] == ']'))
			depth -= depth > 0;
	}
	return string || depth > 0;
}

int
k3_run_parse(struct k3_run *run, const char *text, size_t len, const char *name,
    struct k3_err *err)
{
	struct k3_run_place at = { name, "", err };
	struct k3_json *json = k3_json_parse(text, len, name, err);
	int ret;

	memset(run, 0, sizeof(*run));
	if (json == NULL) {
		if (err->code == EX_DATAERR && ends_early(text, len))
			k3_fail(err, EX_DATAERR,
			    "'%s' ends after %zu bytes, in the middle of a "
			    "report: its run goes on, or was killed",
			    name, len);
		return -1;
	}
	ret = read_document(run, json, &at);
	k3_json_free(json);
	if (ret != 0)
		k3_run_free(run);
	return ret;
}

int
k3_run_read(struct k3_run *run, FILE *fp, const char *name, struct k3_err *err)
{
	struct k3_buf buf = { 0 };
	int ret = 0;

	memset(run, 0, sizeof(*run));
	while (ret == 0 && !feof(fp) && !ferror(fp)) {
		ret = k3_buf_need(&buf, BUFSIZ, err);
		if (ret == 0)
			buf.len +=
			    fread(buf.data + buf.len, 1, buf.cap - buf.len, fp);
	}
	if (ferror(fp))
		ret = k3_fail_errno(err, EX_IOERR, "cannot read '%s'", name);
	if (ret == 0)
		ret = k3_run_parse(run, buf.data, buf.len, name, err);
	k3_buf_fini(&buf);
	return ret;
}

void
k3_run_free(struct k3_run *run)
{
	for (size_t i = 0; i < run->nargument; i++)
		free(run->argument[i]);
	free(run->argument);
	free(run->pass);
	free(run->ids);
	memset(run, 0, sizeof(*run));
}
