/*
 * verify-checkpoint.c - k3-verify checkpoint: a model's files
 */
#include <getopt.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/file.h"
#include "common/par.h"
#include "common/sthead.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify.h"

static const char synopsis[] =
    "checkpoint [-hqVv] [--digests[=FILE]] [--done FILE]\n"
    "                 [--make-digests] [-j N] [-m DIR] [-o FILE]\n"
    "                 [--sha256[=LIST]] [DIR]";
static const char help[] =
    "      --digests[=FILE]  compare tensors, experts, rows (default:\n"
    "                        k3-digests in the model's folder)\n"
    "      --done FILE       with --digests or --sha256: remember in FILE what\n"
    "                        was right, and do not read it again\n"
    "  -h, --help            print this help\n"
    "      --make-digests    write them, if nothing else is wrong\n"
    "  -j, --threads N       files at a time (default: one for each core)\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -o, --output FILE     where --make-digests writes (default: k3-digests\n"
    "                        in the model's folder)\n"
    "  -q, --quiet           no progress and no notes\n"
    "      --sha256[=LIST]   compare files (default: k3-files in the model's\n"
    "                        folder)\n"
    "  -V, --version         print the version\n"
    "  -v, --verbose         each tensor that nobody needs; progress\n";

#define LIST "k3-files"

struct options {
	bool digests, make, sha256;
	const char *compare, *list, *output, *done; /* NULL: by default */
};

struct survey {
	struct verify *v;
	void *names; /* of what nobody needs, for tsearch() */
	uint64_t unneeded;
};

static void
on_wrong(void *arg, const struct k3_err *err)
{
	struct survey *s = arg;

	verify_found(s->v, err);
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Was there one of this name before? */
static bool
was_there(struct survey *s, const char *tensor)
{
	char *name;
	struct k3_err err;

	if (tfind(tensor, &s->names, compare_names) != NULL)
		return true;
	name = strdup(tensor);
	if (name == NULL || tsearch(name, &s->names, compare_names) == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'names'");
		verify_die(s->v, &err);
	}
	return false;
}

static void
on_unneeded(void *arg, const char *path, const char *tensor)
{
	struct survey *s = arg;
	struct k3_err line;

	s->unneeded++;
	/* One that is needed would have been told of; a long one is cut. */
	if (strlen(tensor) < K3_STHEAD_NAME - 1 && was_there(s, tensor)) {
		k3_fail(&line, EX_DATAERR,
		    "'%s' tensor '%s': there was one of this name before", path,
		    tensor);
		verify_found(s->v, &line);
	}
	if (!s->v->verbose)
		return;
	k3_fail(&line, EX_OK, "'%s' tensor '%s': nobody needs it", path,
	    tensor);
	puts(line.msg);
}

/* Headers, all of them; what they say in sum is the last line. */
static void
structure(struct verify *v)
{
	struct survey s = { .v = v };
	const struct k3_st_watch watch = { &s, on_wrong, on_unneeded };
	struct k3_err err;

	if (k3_cfg_load(&v->cfg, v->model, &err) != 0 ||
	    (v->st = k3_st_survey(v->model, &v->cfg, &watch, &err)) == NULL)
		verify_die(v, &err);
	k3_fail(&err, EX_OK,
	    "'%s': files %u, bytes %" PRIu64 ", tensors %" PRIu64
	    ", needed %" PRIu64 " of %" PRIu64 ", unneeded %" PRIu64
	    ", faults %" PRIu64,
	    v->model, k3_st_nfile(v->st), k3_st_bytes(v->st),
	    k3_st_count(v->st), k3_st_found(v->st), k3_st_needed(v->st),
	    s.unneeded, v->found);
	puts(err.msg);
	tdestroy(s.names, free);
	/* Not every fault is in the way of reading. */
	if (v->found > 0 || v->status != 0) {
		k3_st_close(v->st);
		v->st = k3_st_open(v->model, &v->cfg, &err);
	}
}

/* What else there is to compare with. */
static void
hint(struct verify *v)
{
	char *list = verify_join(v, v->model, LIST);
	char *digests = verify_join(v, v->model, K3_SIDECAR_NAME);

	if (access(list, F_OK) == 0)
		tool_note("'%s' is there: --sha256 compares with it", list);
	if (access(digests, F_OK) == 0)
		tool_note("'%s' is there: --digests compares with it", digests);
	else
		tool_note("there is no '%s': --make-digests writes it",
		    digests);
	free(list);
	free(digests);
}

/* A model's folder may come with a link from there to any file. */
static void
make_digests(struct verify *v, const struct options *o, const char *own)
{
	static const char begin[] = "#" K3_SIDECAR_NAME " ";
	struct k3_err err;

	if (o->output == NULL &&
	    k3_file_may_replace(own, begin, sizeof(begin) - 1,
		"file of digests", &err) != 0)
		verify_die(v, &err);
	verify_make_digests(v, o->output != NULL ? o->output : own);
}

static void
compare(struct verify *v, const struct options *o)
{
	char *list = verify_join(v, v->model, LIST);
	char *own = verify_join(v, v->model, K3_SIDECAR_NAME);
	struct verify_done done;

	verify_done_open(v, &done, o->done);
	if (o->sha256)
		verify_sha256(v, o->list != NULL ? o->list : list, &done);
	if ((o->digests || o->make) && v->st == NULL)
		tool_note("no tensor is read before all of them are there");
	else if (o->digests)
		verify_digests(v, o->compare != NULL ? o->compare : own, &done);
	if (o->make && (v->found > 0 || v->status != 0))
		tool_note("no digests are made of what is wrong");
	else if (o->make)
		make_digests(v, o, own);
	verify_done_close(&done);
	free(list);
	free(own);
}

static void
parse(struct verify *v, struct options *o, int argc, char *argv[])
{
	enum {
		DIGESTS = 256,
		DONE,
		MAKE,
		SHA256,
	};
	static const struct option longopts[] = {
		{ "digests", optional_argument, NULL, DIGESTS },
		{ "done", required_argument, NULL, DONE },
		{ "help", no_argument, NULL, 'h' },
		{ "make-digests", no_argument, NULL, MAKE },
		{ "model", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "sha256", optional_argument, NULL, SHA256 },
		{ "threads", required_argument, NULL, 'j' },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "hj:m:o:qVv", longopts)) != -1) {
		switch (c) {
		case DIGESTS:
			o->digests = true;
			o->compare = optarg;
			break;
		case DONE:
			o->done = optarg;
			break;
		case 'h':
			tool_help(synopsis, help);
		case MAKE:
			o->make = true;
			break;
		case 'j':
			v->threads = (unsigned)tool_number("--threads", optarg,
			    1, K3_MAX_THREADS);
			break;
		case 'm':
			v->model = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'q':
			v->quiet = true;
			tool_quiet();
			break;
		case SHA256:
			o->sha256 = true;
			o->list = optarg;
			break;
		case 'V':
			tool_version();
		case 'v':
			v->verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
}

int
verify_checkpoint(int argc, char *argv[])
{
	struct verify v = { .threads = k3_par_default() };
	struct options o = { 0 };

	parse(&v, &o, argc, argv);
	if (argc - optind > 1 || (argc > optind && v.model != NULL) ||
	    (o.output != NULL && !o.make) ||
	    (o.done != NULL && !o.digests && !o.sha256))
		tool_usage(synopsis);
	if (argc > optind)
		v.model = argv[optind];
	v.model = tool_model(v.model);
	tool_signal_init();
	structure(&v);
	if (o.digests || o.make || o.sha256)
		compare(&v, &o);
	else
		hint(&v);
	k3_st_close(v.st);
	return verify_status(&v);
}
