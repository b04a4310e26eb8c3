/*
 * verify-diff.h - k3-verify diff: where two runs part
 *
 * The inputs are "one" and "two"; [2] is one of each.  What is said of them
 * goes to standard output as soon as it is known, so that memory does not
 * depend on how much there is to be said.
 */
#ifndef K3_TOOLS_VERIFY_DIFF_H
#define K3_TOOLS_VERIFY_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/compare.h"
#include "common/digest.h"
#include "common/err.h"
#include "common/json.h"
#include "common/layer.h"
#include "tools/tool-progress.h"

/* What an element belongs to. */
struct diff_tensor {
	const char *layer; /* "12", "head", or "" where there are no layers */
	const char *name;  /* or "" */
	const char *row;   /* what a row is: "token", "row"; "": there is one */
	bool grows;        /* a run works on all that grow row by row */
	bool
	    compared; /* else the other one lacks it, or it has another shape */
	struct k3_compare c;
};

/* Room for the name of an element. */
#define DIFF_PLACE 192

/* The largest error of all, and the element that has it, for people. */
struct diff_most {
	double error;
	char place[DIFF_PLACE];
};

struct diff {
	const char *name[2]; /* for messages */
	struct k3_compare_limit limit;
	uint64_t width; /* of a row of logits; 0: all are one row */
	bool json, quiet, verbose;
	struct tool_progress progress;

	/* What was found. */
	int status;                 /* of what could not be compared, or 0 */
	uint64_t failed;            /* files of that kind */
	uint64_t found;             /* differences that are no elements */
	uint64_t files, tensors, n; /* compared: layers, tensors, elements */
	uint64_t other_files, other_tensors, other; /* of these, different */
	uint64_t near, zeros, nans, payloads;
	struct diff_most abs, rel, ulp;
	bool header;                    /* was printed */
	uint8_t print[2][K3_DIGEST128]; /* fingerprints, told as different */
};

/* verify-diff.c: "cannot ..." on standard error; the work goes on. */
void diff_failed(struct diff *d, const struct k3_err *err);

/* verify-diff-show.c: a difference that is no element. */
void diff_found(struct diff *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The tensors of a file that were compared, in their order; 'found' tells that
 * the file is different otherwise, too.
 */
void diff_file(struct diff *d, const struct diff_tensor *t, size_t n,
    bool found);

/* "layer 3 token 0 element 7 of x": element 'at' of a tensor, for people. */
const char *diff_place(const struct diff_tensor *t, uint64_t at,
    char buf[DIFF_PLACE]);

/* JSON has no number for what is not finite: there it is a text. */
struct k3_json *diff_number(double v);

/* A line of JSON, which is freed. */
void diff_json(struct diff *d, struct k3_json *json);

/* verify-diff-sums.c: count a tensor; print sums, and is all the same? */
void diff_add(struct diff *d, const struct diff_tensor *t);
bool diff_sums(struct diff *d);

/* verify-diff-open.c: what is it? */
enum diff_kind {
	DIFF_FOLDER,
	DIFF_LAYER,
	DIFF_REPORT,
	DIFF_TEXT,
	DIFF_LOGITS,
	DIFF_STREAM, /* a pipe or a device: cannot be looked at */
	DIFF_NKIND
};

/* The kind, or -1. */
int diff_look(const char *path, struct k3_err *err);
const char *diff_kind_name(enum diff_kind kind);

/*
 * To read from its beginning; 'size' is 0 if it is a stream.  NULL with
 * EX_NOINPUT.
 */
FILE *diff_open(const char *path, uint64_t *size, struct k3_err *err);
void diff_close(FILE *fp);

/*
 * verify-diff-layer.c: two layer files, of which at most one is a stream; the
 * label of their layer comes from the head.  0, or -1 if one of them is not
 * right, and then nothing was said of their tensors.
 */
int diff_layers(struct diff *d, const char *const path[2], struct k3_err *err);

/* verify-diff-pair.c: the tensors that both have, and what is not the same. */
#define DIFF_NONE UINT32_MAX
struct diff_pair {
	const struct k3_layer *a; /* the one that is read as a stream */
	struct k3_layer *b;
	bool turned;           /* a is two */
	char layer[16];        /* its label */
	uint32_t *twin;        /* [a->ntensor] in b, or DIFF_NONE */
	bool *wanted;          /* [b->ntensor] is it a twin? */
	struct diff_tensor *t; /* [a->ntensor] */
};

int diff_pair_init(struct diff *d, struct diff_pair *p, struct k3_err *err);
void diff_pair_fini(struct diff_pair *p);

/* When all was read: say how heads, tables and rows differ, if they do. */
bool diff_pair_found(struct diff *d, const struct diff_pair *p);

/* verify-diff-folder.c */
int diff_folders(struct diff *d, const char *const path[2], struct k3_err *err);

/* verify-diff-logits.c */
int diff_logits(struct diff *d, const char *const path[2], struct k3_err *err);

/* verify-diff-run.c: 0 the same, 1 not, or -1. */
int diff_runs(struct diff *d, const char *const path[2], struct k3_err *err);

#endif
