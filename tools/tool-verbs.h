/*
 * tool-verbs.h - tools whose first argument says what to do
 *
 * A verb is a small tool of its own: it has options, a help text, and a page
 * TOOL-VERB(1) that lists them.  Its synopsis begins with its name.
 */
#ifndef K3_TOOLS_TOOL_VERBS_H
#define K3_TOOLS_TOOL_VERBS_H

struct tool_verb {
	const char *name, *what; /* what: for the list of verbs */

	/* As main(), with what follows the verb; returns the exit status. */
	int (*run)(int argc, char *argv[]);
};

/*
 * Run the verb that argv[1] names, or answer -h and -V.  A table ends with an
 * empty entry.
 */
int tool_verbs(const struct tool_verb *verb, int argc, char *argv[]);

#endif
