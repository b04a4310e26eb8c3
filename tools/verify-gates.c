/*
 * verify-gates.c - k3-verify gates: what must hold of a model that works
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/pack.h"
#include "tools/tool.h"
#include "tools/verify-gates.h"
#include "tools/verify-steps.h"
#include "tools/verify.h"

static const char synopsis[] =
    "gates [-hqVv] [-j N] [-m DIR] [-n N] [-p NAME]\n"
    "                 [-r SIZE] [-t DIR] [--budget SECONDS]\n"
    "                 [--cache-ram SIZE] [--chunk N] [--cpu LEVEL]\n"
    "                 [--disk RATE | FILE] [--expect FILE] [--io ENGINE]\n"
    "                 [--io-timeout SECONDS] [--json] [--plan]\n"
    "                 [--prompt FILE] [--quick] [--tokens FILE]\n"
    "                 [--trunk-ram SIZE]";
static const char help[] =
    "      --budget SECONDS  begin with nothing else after so long\n"
    "      --cache-ram SIZE  memory for the cache of routed experts\n"
    "      --chunk N         tokens of a prompt that go through together\n"
    "  -n, --count N         IDs to generate (default 8, or as many as are\n"
    "                        expected)\n"
    "      --cpu LEVEL       scalar, avx2, avx512 or neon (default: the best)\n"
    "      --disk RATE|FILE  with --plan: GB/s that the disk reads, or a file "
    "of\n"
    "                        k3-trace disk --json (default 3)\n"
    "      --expect FILE     a report of k3-decode, or IDs, to be had too\n"
    "  -h, --help            print this help\n"
    "      --io ENGINE       aio or pread (default: aio where it works)\n"
    "      --io-timeout SECONDS\n"
    "                        give up on a read after so long (default 60)\n"
    "  -j, --threads N       threads (default: one a core)\n"
    "      --json            print an object instead\n"
    "  -m, --model DIR       the model (default: $K3_MODEL, else the demo)\n"
    "  -p, --preset NAME     memory for trunk and cache (default auto)\n"
    "      --plan            print what would be run, and stop\n"
    "      --prompt FILE     IDs to begin with\n"
    "      --quick           of the ways to run it only all at once\n"
    "  -q, --quiet           no notes and no progress\n"
    "  -r, --ram SIZE        cap on all memory\n"
    "      --tokens FILE     texts and their IDs, a JSON object a line\n"
    "  -t, --trunk DIR       packed trunk (default: trunk/ in the model, if "
    "any)\n"
    "      --trunk-ram SIZE  memory for the dense layers\n"
    "  -V, --version         print the version\n"
    "  -v, --verbose         progress also without a terminal\n";

enum {
	OPT_EXPECT = CLIMB_OWN,
	OPT_PROMPT,
	OPT_TOKENS,
};

static const struct option longopts[] = {
	{ "budget", required_argument, NULL, CLIMB_BUDGET },
	{ "cache-ram", required_argument, NULL, TOOL_CACHE_RAM },
	{ "chunk", required_argument, NULL, TOOL_CHUNK },
	{ "count", required_argument, NULL, 'n' },
	{ "cpu", required_argument, NULL, TOOL_CPU },
	{ "disk", required_argument, NULL, CLIMB_DISK },
	{ "expect", required_argument, NULL, OPT_EXPECT },
	{ "help", no_argument, NULL, 'h' },
	{ "io", required_argument, NULL, TOOL_IO },
	{ "io-timeout", required_argument, NULL, TOOL_IO_TIMEOUT },
	{ "json", no_argument, NULL, CLIMB_JSON },
	{ "model", required_argument, NULL, 'm' },
	{ "plan", no_argument, NULL, CLIMB_PLAN },
	{ "preset", required_argument, NULL, 'p' },
	{ "prompt", required_argument, NULL, OPT_PROMPT },
	{ "quick", no_argument, NULL, CLIMB_QUICK },
	{ "quiet", no_argument, NULL, 'q' },
	{ "ram", required_argument, NULL, 'r' },
	{ "threads", required_argument, NULL, 'j' },
	{ "tokens", required_argument, NULL, OPT_TOKENS },
	{ "trunk", required_argument, NULL, 't' },
	{ "trunk-ram", required_argument, NULL, TOOL_TRUNK_RAM },
	{ "version", no_argument, NULL, 'V' },
	{ "verbose", no_argument, NULL, 'v' },
	{ NULL, 0, NULL, 0 },
};

/* The tokenizer, if the model has one. */
static void
open_tok(struct gates *g)
{
	struct k3_err err;
	char *path;

	if (asprintf(&path, "%s/tiktoken.model", g->c.engine.dir) == -1) {
		k3_fail(&err, EX_OSERR, "cannot allocate a path");
		climb_die(&g->c, &err);
	}
	/* A file that was asked for must be compared, or its lack told. */
	g->has_tok = g->tokens_path != NULL || access(path, F_OK) == 0;
	if (!g->has_tok)
		tool_note("there is no '%s': no tokenizer is looked at", path);
	else if (k3_tok_open(&g->tok, g->c.engine.dir, &err) != 0)
		climb_die(&g->c, &err);
	free(path);
}

/* A prompt that the model can be expected to know, or any small IDs. */
static int
usual_prompt(struct gates *g, struct k3_err *err)
{
	static const char text[] = "The capital of France is";
	struct k3_ids_seq *prompt = &g->c.prompt;
	struct k3_buf id = { 0 };
	uint32_t small;

	if (g->has_tok &&
	    tok_encode(&g->tok, false, text, strlen(text), &id, err) != 0)
		return -1;
	for (uint32_t i = 0; i < 8 && !g->has_tok; i++) {
		small = (7 * i + 3) % g->c.cfg.vocab;
		if (k3_buf_put(&id, &small, sizeof(small), err) != 0)
			return -1;
	}
	prompt->n = id.len / sizeof(*prompt->id);
	prompt->id = calloc(prompt->n + 1, sizeof(*prompt->id));
	if (prompt->id == NULL)
		return k3_fail(err, EX_OSERR, "cannot allocate 'ids'");
	memcpy(prompt->id, id.data, id.len);
	k3_buf_fini(&id);
	return 0;
}

/* The prompt, and how many steps; all IDs are below the vocabulary. */
static void
choose_prompt(struct gates *g)
{
	struct climb *c = &g->c;
	struct k3_ids_seq *theirs = &g->expect.prompt;
	struct k3_err err;

	if (g->expect_path != NULL &&
	    expect_load(&g->expect, g->expect_path, c->cfg.vocab, &err) != 0)
		climb_die(c, &err);
	if (g->prompt_path != NULL)
		climb_prompt(c, g->prompt_path);
	else if (!g->expect.report && usual_prompt(g, &err) != 0)
		climb_die(c, &err);
	if (g->expect.report && c->prompt.n == 0) {
		c->prompt = *theirs;
		memset(theirs, 0, sizeof(*theirs));
	} else if (g->expect.report &&
		   (theirs->n != c->prompt.n ||
		       memcmp(theirs->id, c->prompt.id,
			   theirs->n * sizeof(*theirs->id)) != 0)) {
		k3_fail(&err, EX_DATAERR, "'%s': a run of another prompt",
		    g->expect_path);
		climb_die(c, &err);
	}
	if (c->count == 0 && g->expect_path != NULL)
		c->count = g->expect.n < CLIMB_MOST ? g->expect.n : CLIMB_MOST;
}

static void
parse(struct gates *g, int argc, char *argv[])
{
	int opt;

	while ((opt = tool_option(argc, argv, "hj:m:n:p:qr:t:Vv", longopts)) !=
	       -1) {
		if (opt == 'h')
			tool_help(synopsis, help);
		else if (opt == 'V')
			tool_version();
		else if (opt == OPT_EXPECT)
			g->expect_path = optarg;
		else if (opt == OPT_PROMPT)
			g->prompt_path = optarg;
		else if (opt == OPT_TOKENS)
			g->tokens_path = optarg;
		else if (!climb_option(&g->c, opt, optarg))
			tool_usage(synopsis);
	}
	if (argc > optind || !climb_agrees(&g->c))
		tool_usage(synopsis);
}

int
verify_gates(int argc, char *argv[])
{
	static struct gates g;
	struct climb *c = &g.c;
	uint8_t print[K3_DIGEST128];
	uint32_t n, rows;
	struct k3_err err;

	climb_init(c);
	parse(&g, argc, argv);
	climb_open(c);
	open_tok(&g);
	choose_prompt(&g);
	if (c->count == 0)
		c->count = CLIMB_USUAL;
	n = (uint32_t)c->prompt.n;
	rows = c->count > 2 ? c->count : 2;
	climb_begin(c, 2, n > c->count ? 2 * n : n + c->count,
	    rows < REPLAY_ROWS ? rows : REPLAY_ROWS,
	    steps_tokens(&(struct replay_prompt){ .n = n, .count = c->count }));
	if (c->plan) {
		gates_plan(&g);
	} else {
		if (k3_fingerprint(&c->cfg, c->st, print, &err) != 0)
			climb_die(c, &err);
		k3_digest_hex(print, g.fingerprint);
		gates_run(&g, rows);
	}
	if (g.has_tok)
		k3_tok_close(&g.tok);
	expect_free(&g.expect);
	if (!c->plan)
		return climb_end(c);
	climb_close(c);
	return tool_finish();
}
