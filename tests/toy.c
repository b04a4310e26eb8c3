/*
 * toy.c - writes a toy model from a seed, in the released Kimi K3 format
 */
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "tests/toy.h"

static const char synopsis[] =
    "usage: toy [--no-index] [--order released|name|shuffled] [--seed N]\n"
    "           [--shards N] NAME DIR\n"
    "       toy --list\n"
    "--shards 0 is a shard a layer and three more, as released.\n";

static const char *const order_name[] = {
	[TOY_RELEASED] = "released",
	[TOY_NAME] = "name",
	[TOY_SHUFFLED] = "shuffled",
};

static void
list(void)
{
	struct toy toy;

	for (unsigned i = 0; toy_at(i, &toy); i++)
		printf("%s\t%s\n", toy.name, toy.about);
	exit(fclose(stdout) == 0 ? EX_OK : EX_IOERR);
}

static void
usage(void)
{
	fputs(synopsis, stderr);
	exit(EX_USAGE);
}

static uint64_t
number(const char *arg, uint64_t max)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (errno != 0 || end == arg || *end != '\0' || v > max)
		errx(EX_USAGE, "bad number '%s'", arg);
	return v;
}

static enum toy_order
order(const char *arg)
{
	for (unsigned i = 0; i < 3; i++)
		if (strcmp(order_name[i], arg) == 0)
			return (enum toy_order)i;
	errx(EX_USAGE, "bad order '%s'", arg);
}

int
main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "list", no_argument, NULL, 'l' },
		{ "no-index", no_argument, NULL, 'n' },
		{ "order", required_argument, NULL, 'o' },
		{ "seed", required_argument, NULL, 's' },
		{ "shards", required_argument, NULL, 'S' },
		{ NULL, 0, NULL, 0 },
	};
	const char *shards = NULL, *seed = NULL, *in = NULL;
	bool noindex = false;
	struct toy toy;
	int c;

	while ((c = getopt_long(argc, argv, "h", longs, NULL)) != -1)
		switch (c) {
		case 'h':
			fputs(synopsis, stdout);
			return EX_OK;
		case 'l':
			list();
			break;
		case 'n':
			noindex = true;
			break;
		case 'o':
			in = optarg;
			break;
		case 's':
			seed = optarg;
			break;
		case 'S':
			shards = optarg;
			break;
		default:
			usage();
		}
	if (argc - optind != 2)
		usage();
	if (!toy_find(argv[optind], &toy))
		errx(EX_USAGE, "no toy '%s': see toy --list", argv[optind]);
	if (shards != NULL)
		toy.shards = (unsigned)number(shards, 1000);
	if (seed != NULL)
		toy.seed = number(seed, UINT64_MAX);
	if (in != NULL)
		toy.order = order(in);
	if (noindex)
		toy.index = false;
	toy_write(&toy, argv[optind + 1]);
	return EX_OK;
}
