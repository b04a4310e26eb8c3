/*
 * cgroup.h - what the control groups of this process allow it
 */
#ifndef K3_COMMON_CGROUP_H
#define K3_COMMON_CGROUP_H

#include <stdint.h>

/*
 * The least room under the limits of the groups that 'list', as
 * /proc/self/cgroup, names, and of those above them, in the tree mounted at
 * 'root', as /sys/fs/cgroup; UINT64_MAX if there is no limit.  Both versions of
 * control groups are known.  Cached files count as room: the kernel drops them
 * before it refuses memory, and the weights that a run has read are among them.
 */
uint64_t k3_cgroup_room(const char *list, const char *root);

/*
 * CPUs whose time the same groups grant, rounded up: with 1.5 of them a second
 * thread, which gets half of its time, is better than none.  At least 1;
 * UINT_MAX if there is no limit.
 */
unsigned k3_cgroup_cpus(const char *list, const char *root);

#endif
