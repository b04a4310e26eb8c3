/*
 * route-reads.c - the reads that routes ask for
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/readplan.h"
#include "tools/route.h"
#include "tools/tool.h"

struct run {
	struct route *r;
	uint64_t pass; /* of the read before */
};

/* A line; those of a pass are out when the next one begins. */
static int
put(void *arg, const struct k3_readplan_read *read, struct k3_err *err)
{
	struct run *run = arg;
	const char *path = k3_st_path(run->r->st, read->loc.file);
	const char *slash = strrchr(path, '/');
	char name[TOOL_NAME];

	if (read->pass != run->pass && route_flush(err) != 0)
		return -1;
	tool_progress_clear(&run->r->progress);
	run->pass = read->pass;
	if (printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%" PRIu64 "\n",
		tool_name(name, slash != NULL ? slash + 1 : path),
		read->loc.off, read->loc.len, read->layer, read->expert,
		read->pass) > 0)
		return 0;
	return k3_fail_errno(err, EX_IOERR, "cannot write '<stdout>'");
}

/* Are they of this model? */
static int
check_shape(const struct k3_cfg *cfg, const struct k3_routes *routes,
    const char *name, struct k3_err *err)
{
	struct k3_routes_shape model = { cfg->nlayer, cfg->experts, cfg->topk };

	return k3_routes_same_shape(name, k3_routes_shape(routes), NULL, &model,
	    err);
}

/* What a pipe will bring is not known. */
static void
watch(struct route *r, FILE *fp)
{
	struct tool_progress *p = &r->progress;
	struct stat sb;
	bool known = fstat(fileno(fp), &sb) == 0 && S_ISREG(sb.st_mode);

	tool_progress_init(p, TOOL_BYTES, known ? (uint64_t)sb.st_size : 0,
	    r->quiet, r->engine.verbose);
	p->what = "routes";
	p->endless = !known;
}

static int
all(struct route *r, struct k3_readplan *plan, struct k3_routes *routes,
    const char *name, struct k3_err *err)
{
	struct tool_progress *p = &r->progress;
	struct k3_route route;
	struct k3_err why;
	int got;

	while ((got = k3_routes_next(routes, &route, err)) == 1) {
		tool_progress_add(p, k3_routes_bytes(routes) - p->done);
		if (k3_readplan_add(plan, &route, &why) == 0)
			continue;
		if (why.code != EX_DATAERR) {
			*err = why;
			return -1;
		}
		return k3_fail(err, EX_DATAERR, "'%s' line %" PRIu64 ": %s",
		    name, k3_routes_line(routes), why.msg);
	}
	/* Of a visit that ends in a bad line not all is known. */
	return got == 0 ? k3_readplan_end(plan, err) : -1;
}

int
route_reads(struct route *r, struct k3_err *err)
{
	bool standard = r->input == NULL || strcmp(r->input, "-") == 0;
	const char *name = standard ? "<stdin>" : r->input;
	struct run run = { .r = r };
	struct k3_readplan plan = { .fn = put, .arg = &run };
	struct k3_routes *routes;
	FILE *fp = standard ? stdin : fopen(r->input, "r");
	int got = -1;

	if (fp == NULL)
		return k3_fail_errno(err, EX_NOINPUT, "cannot open '%s'", name);
	routes = k3_routes_open(fp, name, err);
	if (routes != NULL && check_shape(&r->cfg, routes, name, err) == 0 &&
	    k3_readplan_init(&plan, &r->cfg, r->st, err) == 0) {
		puts("file\toffset\tlength\tlayer\texpert\tpass");
		watch(r, fp);
		got = all(r, &plan, routes, name, err);
		k3_readplan_fini(&plan);
	}
	k3_routes_close(routes);
	if (!standard)
		fclose(fp);
	return got;
}
