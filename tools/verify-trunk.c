/*
 * verify-trunk.c - k3-verify trunk: a packed trunk against its model
 */
#include <dirent.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/pack.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"
#include "tools/verify.h"

static const char synopsis[] = "trunk [-hqVv] [-m DIR] [--quick] [TRUNK]";
static const char help[] =
    "  -h, --help         print this help\n"
    "  -m, --model DIR    the model (default: $K3_MODEL, else the demo)\n"
    "      --quick        only the files' own digests, without the model's "
    "bytes\n"
    "  -q, --quiet        no progress and no notes\n"
    "  -V, --version      print the version\n"
    "  -v, --verbose      a line for each file that nobody needs; progress\n";

struct trunk {
	struct verify v;
	const char *dir;
	bool quick;
	uint8_t fingerprint[K3_DIGEST128];
	struct k3_io *io;
	struct k3_shards shards;
	unsigned right, missing, foreign;
	uint64_t bytes;
};

static void
open_model(struct trunk *t)
{
	static const struct k3_io_ask usual;
	struct verify *v = &t->v;
	struct k3_err err;

	if (k3_cfg_load(&v->cfg, v->model, &err) != 0 ||
	    (v->st = k3_st_open(v->model, &v->cfg, &err)) == NULL ||
	    k3_fingerprint(&v->cfg, v->st, t->fingerprint, &err) != 0 ||
	    (t->io = k3_io_open(&usual, &err)) == NULL ||
	    k3_shards_init(&t->shards, v->st, t->io, NULL, NULL, &err) != 0)
		verify_die(v, &err);
}

/* What the files should have, of shards and of packed tensors. */
static uint64_t
total(const struct trunk *t)
{
	struct k3_layer_tensor tensor[K3_NTENSOR];
	struct k3_layer l;
	uint64_t bytes = 0;

	for (unsigned i = 0; i <= t->v.cfg.nlayer; i++) {
		k3_pack_table(&t->v.cfg, t->v.st, i, t->fingerprint, &l,
		    tensor);
		bytes += l.len;
		for (uint32_t k = 0; k < l.ntensor && !t->quick; k++)
			bytes += tensor[k].len;
	}
	return bytes;
}

/* Are dtypes those of the model?  What else a table says was checked. */
static bool
same_dtypes(struct trunk *t, unsigned layer, const struct k3_layer *l)
{
	struct k3_layer_tensor tensor[K3_NTENSOR];
	struct k3_layer want;
	struct k3_err err;

	k3_pack_table(&t->v.cfg, t->v.st, layer, t->fingerprint, &want, tensor);
	for (uint32_t i = 0; i < l->ntensor; i++) {
		if (l->tensor[i].dtype == tensor[i].dtype)
			continue;
		k3_fail(&err, EX_DATAERR,
		    "'%s' tensor %s: another dtype than in the model", l->path,
		    l->tensor[i].name);
		verify_found(&t->v, &err);
		return false;
	}
	return true;
}

static void
look(struct trunk *t, unsigned layer, const char *path)
{
	struct verify *v = &t->v;
	uint64_t before = v->found + v->unread;
	struct k3_layer *l;
	struct k3_err err;

	switch (
	    k3_pack_look(t->dir, &v->cfg, layer, t->fingerprint, &l, &err)) {
	case K3_PACK_READY:
		break;
	case K3_PACK_MISSING:
		t->missing++;
		k3_fail(&err, EX_DATAERR, "'%s': missing", path);
		verify_found(v, &err);
		return;
	case K3_PACK_FOREIGN:
		t->foreign++;
		verify_found(v, &err);
		return;
	default:
		verify_found(v, &err);
		return;
	}
	t->bytes += l->len;
	if (same_dtypes(t, layer, l))
		verify_layer(v, &(struct verify_layer_ask){ .io = t->io,
				    .shards = t->quick ? NULL : &t->shards,
				    .layer = layer,
				    .file = l });
	k3_layer_close(l);
	t->right += before == v->found + v->unread;
}

static bool
is_needed(const struct trunk *t, const char *name)
{
	char want[K3_PACK_NAME];

	for (unsigned i = 0; i <= t->v.cfg.nlayer; i++) {
		k3_pack_name(&t->v.cfg, i, want);
		if (strcmp(name, want) == 0)
			return true;
	}
	return false;
}

/* Layer files that are in the folder and of no layer. */
static unsigned
find_unneeded(struct trunk *t, DIR *dp)
{
	struct dirent *ent;
	struct k3_err line;
	unsigned n = 0;

	while ((ent = readdir(dp)) != NULL) {
		const char *dot = strrchr(ent->d_name, '.');

		if (dot == NULL || strcmp(dot, ".k3l") != 0 ||
		    is_needed(t, ent->d_name))
			continue;
		n++;
		if (!t->v.verbose)
			continue;
		k3_fail(&line, EX_OK, "'%s/%s': nobody needs it", t->dir,
		    ent->d_name);
		puts(line.msg);
	}
	return n;
}

static void
compare(struct trunk *t)
{
	struct verify *v = &t->v;
	DIR *dp = opendir(t->dir);
	unsigned unneeded;
	struct k3_err line;

	if (dp == NULL) {
		k3_fail_errno(&line, EX_NOINPUT, "cannot open '%s'", t->dir);
		verify_die(v, &line);
	}
	tool_progress_init(&v->progress, TOOL_BYTES, total(t), v->quiet,
	    v->verbose);
	for (unsigned i = 0; i <= v->cfg.nlayer; i++) {
		char name[K3_PACK_NAME], *path;

		k3_pack_name(&v->cfg, i, name);
		path = verify_join(v, t->dir, name);
		v->progress.what = path;
		look(t, i, path);
		tool_progress_clear(&v->progress);
		free(path);
	}
	unneeded = find_unneeded(t, dp);
	closedir(dp);
	k3_fail(&line, EX_OK,
	    "'%s': files %u, bytes %" PRIu64
	    ", right %u, missing %u, foreign %u, unneeded %u, faults %" PRIu64,
	    t->dir, v->cfg.nlayer + 1, t->bytes, t->right, t->missing,
	    t->foreign, unneeded, v->found);
	puts(line.msg);
}

static void
parse(struct trunk *t, int argc, char *argv[])
{
	enum {
		QUICK = 256,
	};
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "model", required_argument, NULL, 'm' },
		{ "quick", no_argument, NULL, QUICK },
		{ "quiet", no_argument, NULL, 'q' },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "hm:qVv", longopts)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case 'm':
			t->v.model = optarg;
			break;
		case QUICK:
			t->quick = true;
			break;
		case 'q':
			t->v.quiet = true;
			tool_quiet();
			break;
		case 'V':
			tool_version();
		case 'v':
			t->v.verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
	if (argc - optind > 1)
		tool_usage(synopsis);
	if (argc > optind)
		t->dir = argv[optind];
}

int
verify_trunk(int argc, char *argv[])
{
	static struct trunk t;
	char *usual;

	parse(&t, argc, argv);
	t.v.model = tool_model(t.v.model);
	usual = verify_join(&t.v, t.v.model, "trunk");
	if (t.dir == NULL)
		t.dir = usual;
	tool_signal_init();
	open_model(&t);
	compare(&t);
	k3_io_close(t.io);
	k3_shards_fini(&t.shards);
	k3_st_close(t.v.st);
	free(usual);
	return verify_status(&t.v);
}
