/*
 * decode.h - what the parts of k3-decode share
 */
#ifndef K3_TOOLS_DECODE_H
#define K3_TOOLS_DECODE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/file.h"
#include "common/ids.h"
#include "common/layer.h"
#include "common/model.h"
#include "common/report.h"
#include "common/session.h"
#include "common/speed.h"
#include "tools/tool-engine.h"
#include "tools/tool-progress.h"

struct decode_options {
	struct tool_engine engine;
	const char *logits, *hidden, *route, *report;
	const char *load, *save;
	double autosave;        /* seconds between two; 0: not given */
	const char *input;      /* NULL: standard input */
	uint64_t count, prompt; /* --count, --plan=TOKENS */
	struct k3_speed speed;  /* for --plan */
	uint32_t lookahead;
	char *stop; /* NULL: the model's eos */
	bool echo, plan, json, quiet;
	bool counted; /* --count was given */
	int argc;     /* for the report */
	char **argv;
};

/*
 * The dump of hidden states: a layer file for each layer, all open, each with
 * a block of so many rows of x and p in memory, and so many bytes of buffers
 * and digests (measured: 8,200).
 */
#define DECODE_HIDDEN_ROWS 4
#define DECODE_HIDDEN_FILE ((uint64_t)10 << 10)
struct decode_hidden {
	struct k3_file *file;            /* [nlayer] */
	struct k3_layer_writer **writer; /* [nlayer] */
	unsigned n;
	bool whole; /* the prompt has gone through all layers */
};

struct decode {
	const struct decode_options *o;
	struct k3_cfg cfg;
	struct k3_st *st;
	struct k3_plan plan;
	struct k3_model *model;
	struct k3_state state;
	float *row;            /* logits of the last token, [vocab] */
	struct k3_ids_seq seq; /* in work: prompt, then what was generated */
	bool empty;            /* the line in work, which seq is not of */
	bool alone;            /* there is none: a session goes on without */
	bool over;             /* and it has nothing to go on to */
	struct k3_session s;   /* how seq goes on; rows, half: of 'from' */
	struct k3_session_file *from; /* --load, until all of it is read */
	uint8_t print[K3_DIGEST128];
	double saved;   /* when the session was, last */
	uint32_t *stop; /* [nstop] */
	size_t nstop;
	struct k3_ids_out out;
	struct k3_file logits, route;
	struct decode_hidden hidden;
	struct k3_report report;
	uint64_t pass, sequence; /* numbers of those in work, from 0 */
	char kind;               /* of the pass: 'p' or 'd' */
	struct tool_progress progress;
	uint64_t read; /* bytes, when that began */
	bool closed;   /* standard output's reader has gone */
};

/* decode-options.c: parse, or exit. */
void decode_options(struct decode_options *o, int argc, char *argv[]);

/*
 * decode-start.c: everything up to the first prompt, of 'prompt' IDs beside
 * those of a session.
 */
void decode_start(struct decode *d, size_t prompt);

/* decode-plan.c: the plan as a table or JSON. */
void decode_show_plan(struct decode *d);

/* decode-files.c: what is written beside standard output. */
int decode_open_files(struct decode *d, struct k3_err *err);
int decode_commit_files(struct decode *d, struct k3_err *err);
void decode_abort_files(struct decode *d);
int decode_put_logits(struct decode *d, struct k3_err *err);

/*
 * decode-session.c.  open looks at what --load and --save name; memory is what
 * they take with such a context.
 */
int decode_session_open(struct decode *d, struct k3_err *err);
uint64_t decode_session_memory(const struct decode *d, uint32_t context);

/*
 * Make a line of input the sequence in work, which the first one may be added
 * to; it is empty afterwards.
 */
int decode_take(struct decode *d, const struct k3_ids *in,
    struct k3_ids_seq *line, struct k3_err *err);

/* All of --load's file has been read. */
void decode_loaded(struct decode *d);

/* Write the session, between two half-layers; autosave if it is time. */
int decode_save(struct decode *d, struct k3_err *err);
void decode_autosave(struct decode *d);

/*
 * decode-run.c: feed what is to be fed of the sequence, and generate.  0, or
 * -1: failed, or asked to stop by a signal, or d->closed.
 */
int decode_sequence(struct decode *d, struct k3_err *err);

#endif
