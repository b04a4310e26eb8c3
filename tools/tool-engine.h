/*
 * tool-engine.h - what tools that run a model do alike before the first pass
 *
 * Options that mean the same in all of them, the memory that follows from
 * these, and the model, opened.
 */
#ifndef K3_TOOLS_TOOL_ENGINE_H
#define K3_TOOLS_TOOL_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/model.h"
#include "common/sidecar.h"

/* What getopt_long() returns for those without a letter. */
enum {
	TOOL_CACHE_RAM = 256,
	TOOL_CHUNK,
	TOOL_CONTEXT,
	TOOL_CPU,
	TOOL_IO,
	TOOL_IO_TIMEOUT,
	TOOL_TRUNK_RAM,
	TOOL_OWN /* a tool's own go on from here */
};

struct tool_engine {
	const char *model, *preset, *trunk, *cpu, *io; /* NULL: not given */
	uint64_t trunk_ram, cache_ram, ram; /* UINT64_MAX: not given */
	uint64_t io_timeout;                /* seconds; 0: not given */
	uint32_t chunk, context;            /* 0: not given */
	unsigned threads;
	bool verbose;

	/* What tool_engine_config() makes of them. */
	const char *dir;                /* of the model */
	unsigned level;                 /* of the CPU */
	const struct k3_io_engine *how; /* NULL: the best */

	/* By tool_engine_digests(); NULL: there are none. */
	struct k3_sidecar *digests;
};

/* Nothing is given yet. */
void tool_engine_init(struct tool_engine *e);

/* Take the option, whose value must be right; false if it is another. */
bool tool_engine_option(struct tool_engine *e, int c, char *arg);

/* Look at the machine and the model's config.  All of these die on failure. */
void tool_engine_config(struct tool_engine *e, struct k3_cfg *cfg);

/*
 * Digests beside the model's files, if there are any, with which what is read
 * is checked; for a plan alone only the room that they take.
 */
void tool_engine_digests(struct tool_engine *e, const struct k3_cfg *cfg,
    struct k3_st *st, bool plan);

/*
 * The folder of the packed trunk: as told, or trunk/ where there is one, to be
 * freed; or NULL.
 */
char *tool_engine_packed(const struct tool_engine *e);

/* Take the memory that the plan lists ('touch': at once), for one sequence. */
void tool_engine_open(const struct tool_engine *e, struct k3_st *st,
    const struct k3_plan *plan, bool touch, struct k3_model **model,
    struct k3_state *state);

/* tool-memory.c: does the memory depend on what is available now? */
bool tool_memory_auto(const struct tool_engine *e);

/*
 * Only one process at a time looks at what is available and takes of it.  The
 * lock to close, or -1; a signal ends the wait, which may be long.
 */
int tool_memory_lock(void);

/*
 * What to ask of the plan, for a first prompt of so many IDs that 'count' are
 * to follow.
 */
void tool_memory_ask(const struct tool_engine *e, const struct k3_cfg *cfg,
    uint64_t prompt, uint64_t count, struct k3_plan_ask *ask);

/* What was chosen, where it is not simply everything. */
void tool_memory_tell(const struct tool_engine *e, const struct k3_plan *plan);

/* The presets, as a table on standard output. */
void tool_memory_presets(void);

#endif
