/*
 * report.h - the run report, as k3-report(5) defines
 *
 * It is written while the run goes on, pass by pass, so that its size is no
 * burden on memory, and appears under its name when it is complete.
 */
#ifndef K3_COMMON_REPORT_H
#define K3_COMMON_REPORT_H

#include "common/file.h"
#include "common/json.h"
#include "common/model.h"

struct k3_report {
	struct k3_file file;
	uint64_t npass;
	double start;                /* seconds */
	int64_t passes;              /* nanoseconds, in all */
	struct k3_trunk_stats trunk; /* these at the end of the last pass */
	struct k3_experts_stats experts;
	struct k3_io_stats reads;
};

/* One pass of one sequence. */
struct k3_report_pass {
	char kind; /* 'p' prefill, 'd' decode */
	uint64_t sequence, position;
	const uint32_t *ids; /* fed, [n] */
	size_t n;
	double wall;         /* seconds */
	const float *logits; /* [vocab] after its last token, or NULL */
	uint32_t next;       /* chosen from them */
};

/*
 * Begin with 'head', an object of what is known before the run; it is freed.
 */
int k3_report_open(struct k3_report *r, const char *path, struct k3_json *head,
    struct k3_err *err);

/* Note a pass that 'model' has just done. */
int k3_report_pass(struct k3_report *r, const struct k3_report_pass *pass,
    const struct k3_model *model, uint32_t vocab, struct k3_err *err);

/* End with the totals, and put the file into its place. */
int k3_report_close(struct k3_report *r, struct k3_err *err);
void k3_report_abort(struct k3_report *r);

/* The plan and the sizes of a model, for reports and plans. */
struct k3_json *k3_report_plan(const struct k3_plan *plan);
struct k3_json *k3_report_model(const struct k3_cfg *cfg,
    const struct k3_st *st);

#endif
