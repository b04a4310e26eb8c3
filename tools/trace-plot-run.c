/*
 * trace-plot-run.c - gnuplot, as a child
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/trace-plot.h"

extern char **environ;

/* The program is its standard input, 'out' its standard output. */
static int
spawn(FILE *program, int out, pid_t *pid)
{
	/* Nobody's settings: the same program gives the same picture. */
	static const char *const arg[] = { "gnuplot", "--default-settings",
		NULL };
	posix_spawn_file_actions_t act;
	int error = posix_spawn_file_actions_init(&act);

	if (error != 0)
		return error;
	error = posix_spawn_file_actions_adddup2(&act, fileno(program),
	    STDIN_FILENO);
	if (error == 0)
		error =
		    posix_spawn_file_actions_adddup2(&act, out, STDOUT_FILENO);
	if (error == 0)
		error = posix_spawnp(pid, arg[0], &act, NULL,
		    (char *const *)(uintptr_t)arg, environ);
	posix_spawn_file_actions_destroy(&act);
	return error;
}

/* All that it writes. */
static int
collect(int fd, struct k3_buf *svg, struct k3_err *err)
{
	ssize_t got;

	for (;;) {
		if (k3_buf_need(svg, BUFSIZ, err) != 0)
			return -1;
		got = read(fd, svg->data + svg->len, svg->cap - svg->len);
		if (got == 0)
			return 0;
		if (got > 0)
			svg->len += (size_t)got;
		else if (errno != EINTR)
			return k3_fail_errno(err, EX_IOERR,
			    "cannot read from gnuplot");
	}
}

/* Is it a picture, to its end? */
static int
check(int status, const struct k3_buf *svg, struct k3_err *err)
{
	static const char end[] = "</svg>";

	if (WIFSIGNALED(status))
		return k3_fail(err, EX_UNAVAILABLE,
		    "cannot plot: gnuplot was killed by signal %d",
		    WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		return k3_fail(err, EX_UNAVAILABLE,
		    "cannot plot: gnuplot ended with status %d",
		    WEXITSTATUS(status));
	if (svg->len == 0 || memmem(svg->data, svg->len, end, 6) == NULL)
		return k3_fail(err, EX_UNAVAILABLE,
		    "cannot plot: gnuplot wrote no SVG");
	return 0;
}

int
trace_plot_run(FILE *program, struct k3_buf *svg, struct k3_err *err)
{
	int fd[2], error, status = 0, ret;
	pid_t pid;

	if (fflush(program) != 0 || lseek(fileno(program), 0, SEEK_SET) != 0)
		return k3_fail_errno(err, EX_IOERR,
		    "cannot write a temporary file");
	if (pipe2(fd, O_CLOEXEC) != 0)
		return k3_fail_errno(err, EX_OSERR, "cannot make a pipe");
	error = spawn(program, fd[1], &pid);
	close(fd[1]);
	if (error == ENOENT)
		ret = k3_fail(err, EX_UNAVAILABLE,
		    "cannot plot: there is no gnuplot here: install it "
		    "(gnuplot-nox in Debian), or take its program (--script) "
		    "to where it is");
	else if (error != 0) {
		errno = error;
		ret = k3_fail_errno(err, EX_OSERR, "cannot run 'gnuplot'");
	} else
		ret = collect(fd[0], svg, err);
	close(fd[0]);
	if (error != 0)
		return ret;
	while (waitpid(pid, &status, 0) == -1 && errno == EINTR)
		;
	return ret == 0 ? check(status, svg, err) : ret;
}
