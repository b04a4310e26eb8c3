/*
 * k3-tok.c - text to token IDs, and back
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "common/escape.h"
#include "common/ids.h"
#include "common/texts.h"
#include "common/tok.h"
#include "tools/tool.h"

static const char synopsis[] = "[-0cdhLqSVv] [--pieces] [-m dir] [file ...]";
static const char options[] =
    "  -0, --null         each NUL-ended text is a sequence\n"
    "  -c, --count        print the number of IDs of each sequence\n"
    "  -d, --decode       IDs to text\n"
    "  -h, --help         print this help\n"
    "  -L, --lines        each line is a sequence\n"
    "  -m, --model DIR    the model's folder (default: $K3_MODEL, else the demo)\n"
    "      --pieces       print ID and bytes, one token a line\n"
    "  -q, --quiet        print errors only\n"
    "  -S, --special      special tokens are recognised, or written out\n"
    "  -V, --version      print the version\n"
    "  -v, --verbose      print what was done on standard error\n";

enum {
	PIECES = 256
};

struct job {
	struct k3_tok tok;
	struct k3_ids_out out;
	const char *model;
	bool on[PIECES + 1]; /* [option]: was it given? */
	int stop;            /* byte that ends a text, or -1: its file does */
	bool open;           /* inside a sequence */
	uint64_t nseq;       /* sequences done */
	uint64_t nid;        /* IDs of all sequences */
	uint64_t before;     /* IDs before this sequence */
	uint64_t nbyte;      /* of text */
};

static void
write_failed(void)
{
	struct k3_err err;

	k3_fail_errno(&err, EX_IOERR, "cannot write '<stdout>'");
	tool_die(&err);
}

/* Push on what there is, before waiting for more. */
static int
push(void *arg, struct k3_err *err)
{
	(void)arg;
	if (fflush(stdout) != 0)
		return k3_fail_errno(err, EX_IOERR, "cannot write '<stdout>'");
	return 0;
}

/* With --pieces, an empty line stands between sequences. */
static void
begin_sequence(struct job *job)
{
	if (!job->open && job->on[PIECES] && job->nseq > 0 &&
	    putchar('\n') == EOF)
		write_failed();
	job->open = true;
}

static void
end_sequence(struct job *job)
{
	struct k3_err err;

	if (job->on['c']) {
		if (printf("%" PRIu64 "\n", job->nid - job->before) < 0)
			write_failed();
	} else if (job->on['d'] && !job->on[PIECES]) {
		if (job->stop != -1 && putchar(job->stop) == EOF)
			write_failed();
	} else if (!job->on[PIECES] && k3_ids_end(&job->out, &err) != 0) {
		tool_die(&err);
	}
	job->before = job->nid;
	job->nseq++;
	job->open = false;
}

static void
write_piece(const struct k3_tok *tok, uint32_t id)
{
	size_t len;
	const char *bytes = k3_tok_bytes(tok, id, &len);

	if (printf("%" PRIu32 "\t", id) < 0 ||
	    k3_escape(stdout, bytes, len) != 0 || putchar('\n') == EOF)
		write_failed();
}

static int
put_ids(void *arg, const uint32_t *id, size_t n, struct k3_err *err)
{
	struct job *job = arg;

	job->nid += n;
	for (size_t i = 0; i < n && !job->on['c']; i++)
		if (job->on[PIECES])
			write_piece(&job->tok, id[i]);
		else if (k3_ids_put(&job->out, id[i], err) != 0)
			return -1;
	return 0;
}

static void
encode_file(struct job *job, int fd, const char *name)
{
	static struct k3_texts texts;
	struct k3_encode enc;
	struct k3_err err;
	const char *bytes;
	size_t len;
	int got;

	k3_encode_init(&enc, &job->tok, job->on['S'], put_ids, job);
	k3_texts_init(&texts, fd, name, job->stop);
	texts.wait = push;
	while ((got = k3_texts_get(&texts, &bytes, &len, &err)) > 0) {
		begin_sequence(job);
		if (got == K3_TEXTS_SOME) {
			job->nbyte += len;
			if (k3_encode_feed(&enc, bytes, len, &err) != 0)
				tool_die(&err);
			continue;
		}
		if (k3_encode_end(&enc, &err) != 0)
			tool_die(&err);
		end_sequence(job);
	}
	if (got == -1)
		tool_die(&err);
	k3_encode_fini(&enc);
}

static void
decode_id(struct job *job, uint32_t id)
{
	const char *bytes;
	size_t len;

	job->nid++;
	if (job->on[PIECES]) {
		write_piece(&job->tok, id);
	} else if (job->on['S'] || !k3_tok_special(&job->tok, id)) {
		bytes = k3_tok_bytes(&job->tok, id, &len);
		if (fwrite_unlocked(bytes, 1, len, stdout) != len)
			write_failed();
		job->nbyte += len;
	}
}

static void
decode_file(struct job *job, int fd, const char *name)
{
	static struct k3_ids ids;
	struct k3_err err;
	uint32_t id;
	int got;

	k3_ids_init(&ids, fd, name, job->tok.size);
	ids.wait = push;
	while ((got = k3_ids_get(&ids, &id, &err)) > 0) {
		begin_sequence(job);
		if (got == K3_IDS_ID)
			decode_id(job, id);
		else
			end_sequence(job);
	}
	if (got == -1)
		tool_die(&err);
}

static void
run(struct job *job, char *argv[])
{
	struct k3_err err;

	for (; *argv != NULL; argv++) {
		bool standard = strcmp(*argv, "-") == 0;
		const char *name = standard ? "<stdin>" : *argv;
		int fd =
		    standard ? STDIN_FILENO : open(*argv, O_RDONLY | O_CLOEXEC);

		if (fd == -1) {
			k3_fail_errno(&err, EX_NOINPUT, "cannot open '%s'",
			    name);
			tool_die(&err);
		}
		if (job->on['d'])
			decode_file(job, fd, name);
		else
			encode_file(job, fd, name);
		if (!standard)
			close(fd);
	}
}

static void
refuse_both(const struct job *job, int a, const char *one, int b,
    const char *other)
{
	struct k3_err err;

	if (!job->on[a] || !job->on[b])
		return;
	k3_fail(&err, EX_USAGE, "%s and %s exclude each other", one, other);
	tool_die(&err);
}

static void
parse(struct job *job, int argc, char *argv[])
{
	static const struct option longopts[] = {
		{ "null", no_argument, NULL, '0' },
		{ "count", no_argument, NULL, 'c' },
		{ "decode", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ "lines", no_argument, NULL, 'L' },
		{ "model", required_argument, NULL, 'm' },
		{ "pieces", no_argument, NULL, PIECES },
		{ "quiet", no_argument, NULL, 'q' },
		{ "special", no_argument, NULL, 'S' },
		{ "version", no_argument, NULL, 'V' },
		{ "verbose", no_argument, NULL, 'v' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = tool_option(argc, argv, "0cdhLm:qSVv", longopts)) != -1) {
		switch (c) {
		case 'h':
			tool_help(synopsis, options);
		case 'm':
			job->model = optarg;
			break;
		case 'q':
			tool_quiet();
			break;
		case 'V':
			tool_version();
		case '?':
			tool_usage(synopsis);
		default:
			job->on[c] = true;
		}
	}
	refuse_both(job, 'L', "--lines", '0', "--null");
	refuse_both(job, 'c', "--count", 'd', "--decode");
	refuse_both(job, 'c', "--count", PIECES, "--pieces");
}

int
main(int argc, char *argv[])
{
	static char dash[] = "-", *standard_input[] = { dash, NULL };
	static struct job job = { .out = { .name = "<stdout>" } };
	struct k3_err err;

	tool_init(argv[0]);
	parse(&job, argc, argv);
	job.stop = job.on['L'] ? '\n' : job.on['0'] ? '\0' : -1;
	job.out.fp = stdout;
	if (k3_tok_open(&job.tok, tool_model(job.model), &err) != 0)
		tool_die(&err);
	run(&job, optind < argc ? argv + optind : standard_input);
	if (job.on['v'])
		tool_note("%" PRIu64 " sequences, %" PRIu64 " IDs, %" PRIu64
			  " bytes of text",
		    job.nseq, job.nid, job.nbyte);
	k3_tok_close(&job.tok);
	return tool_finish();
}
