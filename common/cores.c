/*
 * cores.c - how many threads this machine has room for
 *
 * The CPUs of a core share its arithmetic units and its caches.  One thread
 * keeps those units busy in a product, and a second one on the same core takes
 * half of its first-level cache.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/cgroup.h"
#include "common/cores.h"

/* The list's first CPU that is in 'set', of "0-3,8,10-11"; or 'none'. */
static unsigned
first_of(FILE *list, const cpu_set_t *set, unsigned none)
{
	unsigned from, to;
	int c;

	while (fscanf(list, "%u", &from) == 1) {
		to = from;
		c = getc(list);
		if (c == '-') {
			if (fscanf(list, "%u", &to) != 1)
				return none;
			c = getc(list);
		}
		for (; from <= to && from < CPU_SETSIZE; from++)
			if (CPU_ISSET(from, set))
				return from;
		if (c != ',')
			return none;
	}
	return none;
}

/* A core is counted once, at its first CPU.  Old kernels have the old name. */
static bool
is_first(unsigned cpu, const cpu_set_t *set, const char *root)
{
	static const char *const names[] = { "core_cpus_list",
		"thread_siblings_list" };
	char path[PATH_MAX];
	FILE *list = NULL;
	bool first;

	for (int i = 0; i < 2 && list == NULL; i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/cpu%u/topology/%s",
			root, cpu, names[i]) < sizeof(path))
			list = fopen(path, "r");
	if (list == NULL)
		return true;
	first = first_of(list, set, cpu) == cpu;
	fclose(list);
	return first;
}

unsigned
k3_cores(const cpu_set_t *set, const char *root)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		n += CPU_ISSET(cpu, set) && is_first(cpu, set, root);
	return n;
}

unsigned
k3_cores_usable(void)
{
	unsigned n = 1, most;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		n = k3_cores(&set, "/sys/devices/system/cpu");
	most = k3_cgroup_cpus("/proc/self/cgroup", "/sys/fs/cgroup");
	n = n < most ? n : most;
	return n > 1 ? n : 1;
}
