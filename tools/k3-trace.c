/*
 * k3-trace.c - studies of routes, caches, disks and runs
 */
#include <stddef.h>

#include "tools/tool-verbs.h"
#include "tools/tool.h"
#include "tools/trace.h"

static const struct tool_verb verbs[] = {
	{ "cache", "what caches of some sizes and policies would have hit",
	    trace_cache },
	{ "disk", "how fast a device reads what the engine reads", trace_disk },
	{ "plot", "pictures, as SVG", trace_plot },
	{ "report", "a run report on one screen", trace_report },
	{ "split", "how to divide memory, and what a token then costs",
	    trace_split },
	{ "stat", "how a model uses its experts", trace_stat },
	{ NULL, NULL, NULL },
};

int
main(int argc, char *argv[])
{
	tool_init(argv[0]);
	return tool_verbs(verbs, argc, argv);
}
