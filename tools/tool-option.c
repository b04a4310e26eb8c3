/*
 * tool-option.c - the next option, and what is told of a bad one
 */
#include <getopt.h>

#include "common/escape.h"
#include "tools/tool.h"

/* A letter is told as one byte, which need not be a character. */
static void
mask(char *arg)
{
	k3_escape_mask(arg);
	for (char *p = arg; arg[0] == '-' && arg[1] != '-' && *p != '\0'; p++)
		if ((*p & 0x80) != 0)
			*p = '?';
}

int
tool_option(int argc, char *argv[], const char *letters,
    const struct option *longopts)
{
	int c;

	opterr = 0;
	c = getopt_long(argc, argv, letters, longopts, NULL);
	if (c != '?')
		return c;
	/* Once more from the beginning, for the message. */
	for (int i = 1; i < argc; i++)
		mask(argv[i]);
	opterr = 1;
	optind = 0;
	do
		c = getopt_long(argc, argv, letters, longopts, NULL);
	while (c != '?' && c != -1);
	return '?';
}
