/*
 * tool-verbs.c - tools whose first argument says what to do
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/tool-verbs.h"
#include "tools/tool.h"

static const char synopsis[] = "[-hV] verb [argument ...]";

/* The help, with a line for each verb. */
static noreturn void
help(const struct tool_verb *verb)
{
	char *text = NULL;
	size_t size;
	FILE *fp = open_memstream(&text, &size);
	struct k3_err err;

	if (fp != NULL) {
		for (; verb->name != NULL; verb++)
			fprintf(fp, "  %-18s %s\n", verb->name, verb->what);
		fputs("\n  -h, --help         print this help; after a verb, "
		      "that of the verb\n"
		      "  -V, --version      print the version\n",
		    fp);
	}
	if (fp == NULL || fclose(fp) != 0) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'help'");
		tool_die(&err);
	}
	tool_help(synopsis, text);
}

int
tool_verbs(const struct tool_verb *verb, int argc, char *argv[])
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	const struct tool_verb *v = verb;
	struct k3_err err;
	int c;

	/* Options after the verb are its own. */
	while ((c = tool_option(argc, argv, "+hV", longopts)) != -1) {
		if (c == 'h')
			help(verb);
		if (c == 'V')
			tool_version();
		tool_usage(synopsis);
	}
	if (optind == argc)
		tool_usage(synopsis);
	while (v->name != NULL && strcmp(v->name, argv[optind]) != 0)
		v++;
	if (v->name == NULL) {
		k3_fail(&err, EX_USAGE, "no verb '%s': -h lists them",
		    argv[optind]);
		tool_die(&err);
	}
	/* Messages about the verb's options begin with the tool's name. */
	argv[optind] = argv[0];
	argc -= optind;
	argv += optind;
	optind = 0;
	return v->run(argc, argv);
}
