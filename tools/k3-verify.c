/*
 * k3-verify.c - is it what it should be?
 */
#include <stddef.h>

#include "tools/tool-verbs.h"
#include "tools/tool.h"
#include "tools/verify.h"

static const struct tool_verb verbs[] = {
	{ "checkpoint", "a model's files, by structure and digests",
	    verify_checkpoint },
	{ "diff", "two runs: where do they part?", verify_diff },
	{ "gates", "what must hold of a model that works", verify_gates },
	{ "same", "one prompt, run in many ways", verify_same },
	{ "trunk", "a packed trunk against its model", verify_trunk },
	{ NULL, NULL, NULL },
};

int
main(int argc, char *argv[])
{
	tool_init(argv[0]);
	return tool_verbs(verbs, argc, argv);
}
