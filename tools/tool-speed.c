/*
 * tool-speed.c - options that say how fast a machine is
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/tool-speed.h"
#include "tools/tool.h"

void
tool_speed_disk(const char *opt, const char *arg, struct k3_speed *speed)
{
	struct k3_err err;

	if (arg[strspn(arg, "0123456789.")] == '\0') {
		speed->trunk = speed->experts = tool_rate(opt, arg);
		return;
	}
	if (access(arg, F_OK) != 0) {
		k3_fail(&err, EX_USAGE,
		    "bad value '%s' for %s: neither GB/s such as 2.7 nor a "
		    "file",
		    arg, opt);
		tool_die(&err);
	}
	if (k3_speed_load(speed, arg, &err) != 0)
		tool_die(&err);
}
