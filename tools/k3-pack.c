/*
 * k3-pack.c - write the trunk of a model as files that are read in one piece
 */
#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tools/pack.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

static const char synopsis[] = "[-hqVv] [--layer N|head] [-m DIR] [-o DIR|-] "
			       "[--plan | --remove]\n"
			       "       k3-pack --list FILE";
static const char help[] =
    "  -h, --help         print this help\n"
    "      --layer N      only this layer, from 0, or head\n"
    "      --list FILE    print the table of a layer file\n"
    "  -m, --model DIR    the model (default: $K3_MODEL, else the demo)\n"
    "  -o, --output DIR   where to (default: trunk/ in the model's folder);\n"
    "                     - is standard output, for one layer\n"
    "      --plan         print what would be written, and stop\n"
    "  -q, --quiet        no progress and no warnings\n"
    "      --remove       remove the model's packed trunk\n"
    "  -V, --version      print the version\n"
    "  -v, --verbose      a line for each file\n";

struct options {
	const char *model, *output, *layer, *list;
	bool plan, remove, quiet, verbose;
};

noreturn void
pack_die(struct pack *p, const struct k3_err *err)
{
	tool_progress_clear(&p->progress);
	if (tool_signal_stop())
		tool_signal_die();
	tool_die(err);
}

char *
pack_join(const char *dir, const char *name)
{
	struct k3_err err;
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) != -1)
		return path;
	k3_fail(&err, EX_OSERR, "cannot allocate a path");
	tool_die(&err);
}

/* Which layers --layer asks for. */
static void
choose(struct pack *p, const char *layer)
{
	p->first = 0;
	p->last = p->cfg.nlayer;
	if (layer == NULL)
		return;
	p->first = p->cfg.nlayer;
	if (strcmp(layer, "head") != 0)
		p->first = (unsigned)tool_number("--layer", layer, 0,
		    p->cfg.nlayer - 1);
	p->last = p->first;
}

static void
open_model(struct pack *p, const struct options *o)
{
	const char *model = tool_model(o->model);
	struct k3_err err;

	p->quiet = o->quiet;
	p->verbose = o->verbose;
	if (k3_cfg_load(&p->cfg, model, &err) != 0)
		tool_die(&err);
	choose(p, o->layer);
	p->st = k3_st_open(model, &p->cfg, &err);
	if (p->st == NULL ||
	    k3_fingerprint(&p->cfg, p->st, p->fingerprint, &err) != 0)
		pack_die(p, &err);
	p->dir =
	    o->output != NULL ? strdup(o->output) : pack_join(model, "trunk");
	if (p->dir == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate a path");
		pack_die(p, &err);
	}
}

uint64_t
pack_size(const struct pack *p, unsigned layer, uint32_t *ntensor)
{
	struct k3_layer_tensor tensor[K3_NTENSOR];
	struct k3_layer l;

	k3_pack_table(&p->cfg, p->st, layer, p->fingerprint, &l, tensor);
	*ntensor = l.ntensor;
	return k3_layer_size(&l, 0);
}

enum k3_pack_state
pack_look(struct pack *p, unsigned layer, struct k3_layer **l,
    struct k3_err *err)
{
	enum k3_pack_state state =
	    k3_pack_look(p->dir, &p->cfg, layer, p->fingerprint, l, err);

	if (state == K3_PACK_FAILED)
		pack_die(p, err);
	return state;
}

uint64_t
pack_free(struct pack *p)
{
	char *up = pack_join(p->dir, "");
	struct statvfs vfs;
	struct k3_err err;

	if (statvfs(p->dir, &vfs) != 0 &&
	    (errno != ENOENT || statvfs(dirname(up), &vfs) != 0)) {
		k3_fail_errno(&err, EX_CANTCREAT, "cannot create '%s'", p->dir);
		pack_die(p, &err);
	}
	free(up);
	return (uint64_t)vfs.f_bavail * vfs.f_frsize;
}

static void
parse(struct options *o, int argc, char *argv[])
{
	enum {
		LAYER = 256,
		LIST,
		PLAN,
		REMOVE,
	};
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "layer", required_argument, NULL, LAYER },
		{ "list", required_argument, NULL, LIST },
		{ "model", required_argument, NULL, 'm' },
		{ "output", required_argument, NULL, 'o' },
		{ "plan", no_argument, NULL, PLAN },
		{ "quiet", no_argument, NULL, 'q' },
		{ "remove", no_argument, NULL, REMOVE },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "hm:o:qVv", longopts)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, help);
		case LAYER:
			o->layer = optarg;
			break;
		case LIST:
			o->list = optarg;
			break;
		case 'm':
			o->model = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case PLAN:
			o->plan = true;
			break;
		case 'q':
			o->quiet = true;
			tool_quiet();
			break;
		case REMOVE:
			o->remove = true;
			break;
		case 'V':
			tool_version();
		case 'v':
			o->verbose = true;
			break;
		default:
			tool_usage(synopsis);
		}
	}
}

int
main(int argc, char *argv[])
{
	static struct pack p;
	struct options o = { 0 };
	bool out;

	tool_init(argv[0]);
	parse(&o, argc, argv);
	out = o.output != NULL && strcmp(o.output, "-") == 0;
	if (optind < argc || o.plan + o.remove + out > 1 ||
	    (out && o.layer == NULL) ||
	    (o.list != NULL && (o.plan || o.remove || o.output != NULL ||
				   o.model != NULL || o.layer != NULL)))
		tool_usage(synopsis);
	if (out && isatty(STDOUT_FILENO)) {
		struct k3_err err;

		k3_fail(&err, EX_USAGE,
		    "refusing to write a layer file to a terminal");
		tool_die(&err);
	}
	if (o.list != NULL) {
		pack_list(o.list);
		return tool_finish();
	}
	/* Only files need to be cleaned up. */
	if (out)
		tool_signal_init_report();
	else if (!o.plan && !o.remove)
		tool_signal_init();
	open_model(&p, &o);
	if (o.plan)
		pack_plan(&p);
	else if (o.remove)
		pack_remove(&p);
	else if (out)
		pack_write_stdout(&p);
	else
		pack_write(&p);
	k3_st_close(p.st);
	free(p.dir);
	return tool_finish();
}
