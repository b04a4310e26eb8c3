/*
 * report.c - the run report, as k3-report(5) defines
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/digest.h"
#include "common/mem.h"
#include "common/predict.h"
#include "common/report.h"
#include "common/sizes.h"

/* The text of an object without its last brace, for more to be added. */
static int
put_open_object(FILE *fp, struct k3_json *object, const char *name,
    struct k3_err *err)
{
	char *text = NULL;
	size_t len = 0;
	FILE *mem = open_memstream(&text, &len);
	int ret;

	if (mem == NULL) {
		k3_json_free(object);
		return k3_fail_errno(err, EX_OSERR, "cannot write '%s'", name);
	}
	ret = k3_json_write(object, false, mem, name, err);
	fclose(mem);
	if (ret == 0)
		fwrite(text, 1, len - 1, fp);
	free(text);
	return ret;
}

int
k3_report_open(struct k3_report *r, const char *path, struct k3_json *head,
    struct k3_err *err)
{
	memset(r, 0, sizeof(*r));
	r->start = k3_clock();
	if (k3_file_create(&r->file, path, K3_FILE_PRIVATE, err) != 0) {
		k3_json_free(head);
		return -1;
	}
	if (put_open_object(r->file.fp, head, path, err) != 0) {
		k3_report_abort(r);
		return -1;
	}
	fputs(",\n\"passes\":[", r->file.fp);
	return 0;
}

/* Counters since 'e0' and 't0'. */
static struct k3_json *
counters(const struct k3_trunk_stats *t, const struct k3_trunk_stats *t0,
    const struct k3_experts_stats *e, const struct k3_experts_stats *e0)
{
	return k3_json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}",
	    "trunk_bytes", (int64_t)(t->bytes - t0->bytes), "expert_bytes",
	    (int64_t)(e->bytes - e0->bytes), "demands",
	    (int64_t)(e->demands - e0->demands), "hits",
	    (int64_t)(e->hits - e0->hits), "misses",
	    (int64_t)(e->misses - e0->misses), "evictions",
	    (int64_t)(e->evictions - e0->evictions), "bypassed",
	    (int64_t)(e->bypassed - e0->bypassed), "guessed_right",
	    (int64_t)(e->right - e0->right), "guessed_wrong",
	    (int64_t)(e->wrong - e0->wrong));
}

/* Times are added up in whole nanoseconds, so that sums are exact. */
static int64_t
nanoseconds(double seconds)
{
	return (int64_t)(seconds * 1e9 + 0.5);
}

/* They add up to wall; 'other' is what happens between passes. */
static struct k3_json *
seconds(int64_t wall, int64_t trunk, int64_t experts, int64_t other)
{
	int64_t compute = wall - trunk - experts - other;

	return k3_json_pack("{s:f,s:f,s:f,s:f,s:f}", "wall", (double)wall / 1e9,
	    "compute", (double)compute / 1e9, "trunk_wait", (double)trunk / 1e9,
	    "expert_wait", (double)experts / 1e9, "other", (double)other / 1e9);
}

/* What the queue of reads did since 'r0'. */
static struct k3_json *
reads(const struct k3_io_stats *r, const struct k3_io_stats *r0)
{
	double busy = r->busy - r0->busy;
	double load = r->depth * r->busy - r0->depth * r0->busy;

	return k3_json_pack("{s:I,s:f,s:f}", "bytes",
	    (int64_t)(r->bytes - r0->bytes), "busy", busy, "depth",
	    busy > 0 && load > 0 ? round(load / busy * 1e3) / 1e3 : 0.0);
}

int
k3_report_pass(struct k3_report *r, const struct k3_report_pass *pass,
    const struct k3_model *model, uint32_t vocab, struct k3_err *err)
{
	struct k3_trunk_stats t = *k3_model_trunk(model);
	struct k3_experts_stats e = *k3_model_experts(model);
	int64_t trunk = nanoseconds(t.wait) - nanoseconds(r->trunk.wait);
	int64_t experts = nanoseconds(e.wait) - nanoseconds(r->experts.wait);
	int64_t wall = nanoseconds(pass->wall);
	struct k3_json *ids = k3_json_pack("[]");
	const char kind[2] = { pass->kind, '\0' };
	struct k3_io_stats io;
	struct k3_json *json;
	char digest[24] = "";

	for (size_t i = 0; i < pass->n; i++)
		ids =
		    k3_json_push(ids, k3_json_pack("I", (int64_t)pass->ids[i]));
	if (pass->logits != NULL)
		snprintf(digest, sizeof(digest), "%016" PRIx64,
		    k3_digest64(pass->logits, vocab * sizeof(float)));
	/* But for rounding, waits are parts of it. */
	wall = wall < trunk + experts ? trunk + experts : wall;
	k3_io_stats(k3_model_io(model), &io);
	json = k3_json_pack("{s:I,s:s,s:I,s:I,s:o,s:o,s:o,s:o}", "pass",
	    (int64_t)r->npass, "kind", kind, "sequence",
	    (int64_t)pass->sequence, "position", (int64_t)pass->position, "ids",
	    ids, "seconds", seconds(wall, trunk, experts, 0), "counters",
	    counters(&t, &r->trunk, &e, &r->experts), "reads",
	    reads(&io, &r->reads));
	fputs(r->npass++ == 0 ? "\n" : ",\n", r->file.fp);
	r->trunk = t;
	r->experts = e;
	r->reads = io;
	r->passes += wall;
	if (pass->logits == NULL)
		return k3_json_write(json, false, r->file.fp, r->file.path,
		    err);
	if (put_open_object(r->file.fp, json, r->file.path, err) != 0)
		return -1;
	fprintf(r->file.fp, ",\"next\":%" PRIu32 ",\"logits\":\"%s\"}",
	    pass->next, digest);
	return 0;
}

int
k3_report_close(struct k3_report *r, struct k3_err *err)
{
	static const struct k3_trunk_stats t0;
	static const struct k3_experts_stats e0;
	static const struct k3_io_stats r0;
	int64_t wall = nanoseconds(k3_clock() - r->start);
	struct k3_json *total;

	total = k3_json_pack("{s:o,s:o,s:o,s:I}", "seconds",
	    seconds(wall, nanoseconds(r->trunk.wait),
		nanoseconds(r->experts.wait), wall - r->passes),
	    "counters", counters(&r->trunk, &t0, &r->experts, &e0), "reads",
	    reads(&r->reads, &r0), "unused_bytes", (int64_t)r->trunk.unused);
	fputs("\n],\n\"total\":", r->file.fp);
	if (k3_json_write(total, false, r->file.fp, r->file.path, err) != 0) {
		k3_report_abort(r);
		return -1;
	}
	fprintf(r->file.fp, ",\n\"peak_bytes\":%" PRIu64 "}\n", k3_mem_peak());
	return k3_file_commit(&r->file, err);
}

void
k3_report_abort(struct k3_report *r)
{
	k3_file_abort(&r->file);
}

struct k3_json *
k3_report_plan(const struct k3_plan *plan)
{
	struct k3_json *items = k3_json_pack("[]");
	struct k3_load load;

	k3_predict_load(plan, &load);
	for (unsigned i = 0; i < K3_PLAN_NITEM; i++)
		items = k3_json_push(items,
		    k3_json_pack("{s:s,s:I,s:s}", "name",
			k3_plan_name((enum k3_plan_item)i), "bytes",
			(int64_t)plan->item[i], "why",
			k3_plan_why((enum k3_plan_item)i)));
	return k3_json_pack("{s:o,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "items",
	    items, "total", (int64_t)plan->total, "chunk", (int64_t)plan->chunk,
	    "context", (int64_t)plan->ask.context, "cached_experts",
	    (int64_t)k3_plan_cached(plan), "pinned_bytes",
	    (int64_t)k3_plan_pinned(plan), "trunk_bytes_a_pass",
	    (int64_t)k3_plan_trunk_reads(plan), "beside_bytes_a_pass",
	    (int64_t)load.beside, "expert_bytes_a_token",
	    (int64_t)k3_plan_expert_reads(plan));
}

struct k3_json *
k3_report_model(const struct k3_cfg *cfg, const struct k3_st *st)
{
	struct k3_sizes z;

	k3_sizes(&z, cfg, st);
	return k3_json_pack("{s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,"
			    "s:I}",
	    "files", (int64_t)k3_st_nfile(st), "tensors",
	    (int64_t)k3_st_count(st), "checkpoint_bytes",
	    (int64_t)k3_st_bytes(st), "moe_layers",
	    (int64_t)(cfg->nlayer - cfg->ndense), "experts",
	    (int64_t)cfg->experts, "expert_bytes", (int64_t)z.expert,
	    "all_expert_bytes", (int64_t)z.experts, "layers",
	    (int64_t)cfg->nlayer, "trunk_bytes", (int64_t)z.trunk, "head_bytes",
	    (int64_t)z.head, "kda_state_bytes", (int64_t)z.kda,
	    "conv_state_bytes", (int64_t)z.conv, "latent_bytes_a_position",
	    (int64_t)z.latent);
}
