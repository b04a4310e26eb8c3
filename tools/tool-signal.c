/*
 * tool-signal.c - signals that ask a long-running tool for something
 */
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

#include "tools/tool-signal.h"

static volatile sig_atomic_t stop, report;

static void
on_stop(int sig)
{
	stop = sig;
}

static void
on_report(int sig)
{
	(void)sig;
	report = 1;
}

void
tool_signal_init_report(void)
{
	struct sigaction sa = { .sa_handler = on_report,
		.sa_flags = SA_RESTART };

	sigemptyset(&sa.sa_mask);
	sigaction(SIGUSR1, &sa, NULL);
}

void
tool_signal_init(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction sa = { .sa_handler = on_stop }, old;

	tool_signal_init_report();
	/* No SA_RESTART: what waits must return. */
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		if (sigaction(sigs[i], NULL, &old) == 0 &&
		    old.sa_handler != SIG_IGN)
			sigaction(sigs[i], &sa, NULL);
}

bool
tool_signal_stop(void)
{
	return stop != 0;
}

void
tool_signal_die(void)
{
	sigset_t set;

	signal(stop, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, stop);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(stop);
	_Exit(128 + stop);
}

bool
tool_signal_report(void)
{
	bool was = report != 0;

	report = 0;
	return was;
}
