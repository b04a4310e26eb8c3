/*
 * tool-input.c - sequences of IDs that a model is run on
 */
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tool-input.h"
#include "tools/tool-signal.h"
#include "tools/tool.h"

/*
 * Before a read that may wait: what a signal asks for must not wait too.  The
 * time-out covers a signal that arrives just before poll().
 */
static int
await(void *arg, struct k3_err *err)
{
	const struct k3_ids *in = arg;
	struct pollfd p = { .fd = in->fd, .events = POLLIN };

	while (!tool_signal_stop())
		if (poll(&p, 1, 200) != 0)
			if (p.revents != 0)
				return 0;
	return k3_fail(err, EX_OK, "stopped");
}

struct k3_ids *
tool_input_open(const char *path, const struct k3_cfg *cfg)
{
	struct k3_ids *in = malloc(sizeof(*in));
	struct k3_err err;
	int fd = STDIN_FILENO;

	if (in == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'ids': out of memory");
		tool_die(&err);
	}
	if (path != NULL && strcmp(path, "-") != 0) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd == -1) {
			k3_fail_errno(&err, EX_NOINPUT, "cannot open '%s'",
			    path);
			tool_die(&err);
		}
	} else {
		path = "<stdin>";
	}
	k3_ids_init(in, fd, path, cfg->vocab);
	in->wait = await;
	in->arg = in;
	return in;
}

/*
 * IDs that a line can have: one more than will fit, so that the line is
 * refused as such, is enough to hold in memory.
 */
int
tool_input_next(struct k3_ids *in, struct k3_ids_seq *seq, uint32_t context,
    const struct k3_cfg *cfg, struct k3_err *err)
{
	size_t longest = cfg->max_pos;

	if (context != 0 && context < cfg->max_pos)
		longest = (size_t)context + 1;
	return k3_ids_line(in, seq, longest, err);
}

int
tool_input_fits(const struct k3_ids *in, const struct k3_ids_seq *seq,
    uint32_t context, struct k3_err *err)
{
	if (seq->n <= context)
		return 0;
	return k3_fail(err, EX_UNAVAILABLE,
	    "'%s' line %" PRIu64 ": more IDs than the planned context of "
	    "%" PRIu32 " (--context)",
	    in->name, in->line, context);
}
