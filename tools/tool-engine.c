/*
 * tool-engine.c - options that all tools share which run a model, and opening
 * it
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cpu.h"
#include "common/pack.h"
#include "common/par.h"
#include "tools/tool-engine.h"
#include "tools/tool.h"

void
tool_engine_init(struct tool_engine *e)
{
	memset(e, 0, sizeof(*e));
	e->trunk_ram = e->cache_ram = e->ram = UINT64_MAX;
	e->threads = k3_par_default();
}

bool
tool_engine_option(struct tool_engine *e, int c, char *arg)
{
	uint32_t most = UINT32_MAX;

	switch (c) {
	case TOOL_CACHE_RAM:
		e->cache_ram = tool_size("--cache-ram", arg);
		return true;
	case TOOL_CHUNK:
		e->chunk = (uint32_t)tool_number("--chunk", arg, 1, 1 << 20);
		return true;
	case TOOL_CONTEXT:
		e->context = (uint32_t)tool_number("--context", arg, 1, most);
		return true;
	case TOOL_CPU:
		e->cpu = arg;
		return true;
	case TOOL_IO:
		e->io = arg;
		return true;
	case TOOL_IO_TIMEOUT:
		e->io_timeout = tool_number("--io-timeout", arg, 1, 1 << 20);
		return true;
	case 'j':
		e->threads =
		    (unsigned)tool_number("--threads", arg, 1, K3_MAX_THREADS);
		return true;
	case 'm':
		e->model = arg;
		return true;
	case 'p':
		e->preset = arg;
		return true;
	case 'r':
		e->ram = tool_size("--ram", arg);
		return true;
	case 't':
		e->trunk = arg;
		return true;
	case TOOL_TRUNK_RAM:
		e->trunk_ram = tool_size("--trunk-ram", arg);
		return true;
	case 'v':
		e->verbose = true;
		return true;
	default:
		return false;
	}
}

void
tool_engine_config(struct tool_engine *e, struct k3_cfg *cfg)
{
	struct k3_err err;

	e->level = k3_cpu_best();
	if (e->cpu != NULL && k3_cpu_parse(e->cpu, &e->level, &err) != 0)
		tool_die(&err);
	if (e->io != NULL && (e->how = k3_io_engine(e->io, &err)) == NULL)
		tool_die(&err);
	/* Who asks for this level by name knows. */
	if (e->cpu == NULL && k3_cpu_plain(e->level))
		tool_note("this CPU lacks AVX2: plain C computes, many times "
			  "as slow");
	e->dir = tool_model(e->model);
	if (k3_cfg_load(cfg, e->dir, &err) != 0)
		tool_die(&err);
}

void
tool_engine_digests(struct tool_engine *e, const struct k3_cfg *cfg,
    struct k3_st *st, bool plan)
{
	uint8_t print[K3_DIGEST128] = { 0 };
	struct k3_err err;
	struct stat sb;
	bool foreign;
	char *path;

	if (asprintf(&path, "%s/%s", e->dir, K3_SIDECAR_NAME) == -1) {
		k3_fail(&err, EX_OSERR, "cannot allocate a path");
		tool_die(&err);
	}
	if (lstat(path, &sb) == 0 &&
	    ((!plan && k3_fingerprint(cfg, st, print, &err) != 0) ||
		(e->digests = k3_sidecar_open(cfg, print, &err)) == NULL ||
		(!plan &&
		    k3_sidecar_load(e->digests, path, &foreign, &err) != 0)))
		tool_die(&err);
	free(path);
}

char *
tool_engine_packed(const struct tool_engine *e)
{
	struct stat sb;
	char *path;

	if (e->trunk != NULL)
		return strdup(e->trunk);
	if (asprintf(&path, "%s/trunk", e->dir) == -1)
		return NULL;
	if (stat(path, &sb) == 0 && S_ISDIR(sb.st_mode))
		return path;
	free(path);
	return NULL;
}

void
tool_engine_open(const struct tool_engine *e, struct k3_st *st,
    const struct k3_plan *plan, bool touch, struct k3_model **model,
    struct k3_state *state)
{
	struct k3_model_ask how = { .cpu = e->level,
		.touch = touch,
		.digests = e->digests,
		.io = { .engine = e->how, .timeout = (double)e->io_timeout } };
	char *trunk = tool_engine_packed(e), note[256];
	struct k3_err err;

	how.packed = trunk;
	if ((*model = k3_model_open(st, plan, &how, &err)) == NULL ||
	    k3_state_init(state, plan->cfg, plan->ask.context, &err) != 0)
		tool_die(&err);
	if (touch && k3_state_touch(state, &err) != 0)
		tool_die(&err);
	free(trunk);
	if (k3_io_note(k3_model_io(*model), note, sizeof(note)))
		tool_note("%s", note);
}
