/*
 * tool-signal.h - signals that ask a long-running tool for something
 */
#ifndef K3_TOOLS_TOOL_SIGNAL_H
#define K3_TOOLS_TOOL_SIGNAL_H

#include <stdbool.h>
#include <stdnoreturn.h>

/*
 * From here on SIGINT, SIGTERM and SIGHUP are remembered instead of killing
 * (one that is ignored stays so), SIGUSR1 asks for a line of progress, and a
 * file that outgrows RLIMIT_FSIZE is a write error instead of death.
 */
void tool_signal_init(void);

/*
 * The same, but SIGINT, SIGTERM and SIGHUP kill as ever: for tools that have
 * nothing to clean up, and may wait for ever for a pipe's reader.
 */
void tool_signal_init_report(void);

/* Was the tool asked to stop?  Then clean up and die by that same signal. */
bool tool_signal_stop(void);
noreturn void tool_signal_die(void);

/* Was a line of progress asked for since the last call? */
bool tool_signal_report(void);

#endif
