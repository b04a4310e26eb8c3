/*
 * bench-run.c - the programs that bench runs, and the slice that one writes
 */
#include <err.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "tests/bench.h"

/* Of the slice, and left over for others. */
#define SLICE_BYTES 11.5e9
#define SPARE_BYTES 3.5e9

static void
child(const char *const argv[], const char *input, int fd[2])
{
	char *const *args;
	int null = open("/dev/null", O_WRONLY);

	signal(SIGPIPE, SIG_DFL);
	if (input != NULL)
		dup2(fd[0], STDIN_FILENO);
	close(fd[0]);
	close(fd[1]);
	dup2(null, STDOUT_FILENO);
	/* execv() changes none of them: its type is older than const. */
	memcpy(&args, &argv, sizeof(args));
	execv(argv[0], args);
	warn("cannot run '%s'", argv[0]);
	_exit(EX_UNAVAILABLE);
}

int
bench_run(const char *const argv[], const char *input)
{
	int fd[2], status;
	pid_t pid;

	if (pipe(fd) != 0)
		err(EX_OSERR, "cannot make a pipe");
	/* A program that dies before it reads is no reason to die. */
	signal(SIGPIPE, SIG_IGN);
	fflush(stdout);
	pid = fork();
	if (pid == -1)
		err(EX_OSERR, "cannot fork");
	if (pid == 0)
		child(argv, input, fd);
	close(fd[0]);
	if (input != NULL &&
	    write(fd[1], input, strlen(input)) != (ssize_t)strlen(input))
		warn("cannot write to '%s'", argv[0]);
	close(fd[1]);
	if (waitpid(pid, &status, 0) != pid)
		err(EX_OSERR, "cannot wait for '%s'", argv[0]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* 'n' IDs, all below every toy's vocabulary. */
static char *
prompt(unsigned n)
{
	char *text = calloc(n + 1, 4), *p = text;

	if (text == NULL)
		err(EX_OSERR, "cannot allocate a prompt");
	for (unsigned i = 0; i < n; i++)
		p += sprintf(p, "%u ", i * 37 % 200);
	p[-1] = '\n';
	return text;
}

struct k3_json *
bench_decode(const struct bench *b, const char *dir, uint64_t ram,
    unsigned chunk, unsigned nprompt)
{
	char report[] = "/tmp/k3-bench-XXXXXX", budget[32], threads[16];
	char tokens[16];
	const char *argv[] = { b->decode, "-q", "-n", "3", "--stop", "none",
		"-j", threads, "-m", dir, "-r", budget, "-R", report,
		chunk > 0 ? "--chunk" : NULL, tokens, NULL };
	char *input = prompt(nprompt);
	struct k3_json *json = NULL;
	struct k3_err e;
	int fd = mkstemp(report);

	if (fd == -1)
		err(EX_CANTCREAT, "cannot create '%s'", report);
	close(fd);
	snprintf(budget, sizeof(budget), "%" PRIu64, ram);
	snprintf(threads, sizeof(threads), "%u", b->width[b->nwidth - 1]);
	snprintf(tokens, sizeof(tokens), "%u", chunk);
	if (bench_run(argv, input) == 0)
		json = k3_json_load(report, &e);
	unlink(report);
	free(input);
	return json;
}

/* The folder that 'path' is to be made in. */
static void
parent(const char *path, char *buf, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (slash == NULL || slash == path)
		snprintf(buf, size, "%s", slash == NULL ? "." : "/");
	else
		snprintf(buf, size, "%.*s", (int)(slash - path), path);
}

const char *
bench_find_slice(const struct bench *b, const char *section)
{
	char dir[4096], part[4096];
	const char *const argv[] = { b->toy, "slice", part, NULL };
	struct statvfs fs;
	struct stat sb;

	if (b->slice == NULL) {
		printf("%s  skipped: no --slice\n\n", section);
		return NULL;
	}
	if (stat(b->slice, &sb) == 0)
		return b->slice;
	parent(b->slice, dir, sizeof(dir));
	if (b->toy == NULL || statvfs(dir, &fs) != 0 ||
	    (double)fs.f_bavail * (double)fs.f_frsize <
		SLICE_BYTES + SPARE_BYTES) {
		printf("%s  skipped: '%s' is not there, and '%s' has no room "
		       "for 15 GB\n\n",
		    section, b->slice, dir);
		return NULL;
	}
	snprintf(part, sizeof(part), "%s.part", b->slice);
	printf("(writing the slice, 11.5 GB)\n");
	if (bench_run(argv, NULL) != 0 || rename(part, b->slice) != 0)
		errx(EX_CANTCREAT, "cannot write '%s'", b->slice);
	return b->slice;
}
