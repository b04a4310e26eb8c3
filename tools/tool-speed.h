/*
 * tool-speed.h - options that say how fast a machine is
 */
#ifndef K3_TOOLS_TOOL_SPEED_H
#define K3_TOOLS_TOOL_SPEED_H

#include "common/speed.h"

/*
 * --disk: units of 10^9 bytes a second, for trunk and experts alike, or a file
 * that k3-trace disk --json wrote.
 */
void tool_speed_disk(const char *opt, const char *arg, struct k3_speed *speed);

#endif
