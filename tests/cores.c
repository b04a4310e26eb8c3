/*
 * cores.c - cores under a mask of CPUs, in trees made up here
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cores.h"
#include "tests/tap.h"

/* CPU 'cpu' of the tree 'root' has this list of the CPUs of its core. */
static void
put(const char *root, unsigned cpu, const char *name, const char *list)
{
	char path[128];
	FILE *fp;

	mkdir(root, 0700);
	snprintf(path, sizeof(path), "%s/cpu%u", root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%u/topology", root, cpu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/cpu%u/topology/%s", root, cpu, name);
	fp = fopen(path, "w");
	if (fp == NULL || fputs(list, fp) == EOF || fclose(fp) != 0)
		abort();
}

/* Cores of 'root' under the CPUs whose bits are set in 'mask'. */
static unsigned
cores(const char *root, unsigned mask)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned i = 0; i < 32; i++)
		if ((mask >> i & 1) != 0)
			CPU_SET(i, &set);
	return k3_cores(&set, root);
}

int
main(void)
{
	static const char *const far[] = { "0,4\n", "1,5\n", "2,6\n", "3,7\n" };
	char dir[] = "/tmp/k3-cores.XXXXXX", rm[64];
	int status;

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	for (unsigned i = 0; i < 8; i++) {
		put("far", i, "core_cpus_list", far[i % 4]);
		put("near", i, "thread_siblings_list",
		    i < 4 ? "0-3\n" : "4-5,6-7\n");
		put("bad", i, "core_cpus_list", i % 2 == 0 ? "" : "0-x\n");
	}
	ok(cores("far", 0xff) == 4, "two CPUs a core, numbered far apart");
	ok(cores("far", 0x0f) == 4, "one CPU of each core");
	ok(cores("far", 0xf0) == 4, "the other CPU of each core");
	ok(cores("far", 0x33) == 2, "both CPUs of some cores");
	ok(cores("near", 0xff) == 2, "four CPUs a core, the list's old name");
	ok(cores("near", 0xc0) == 1, "a mask of the end of a list");
	ok(cores("near", 0x08) == 1, "a mask of one CPU");
	ok(cores("bad", 0xff) == 8, "a list without a number");
	ok(cores("none", 0x0f) == 4, "a kernel that tells nothing");
	ok(cores("far", 0) == 0, "an empty mask");
	ok(k3_cores_usable() >= 1, "there is a core to run on");
	snprintf(rm, sizeof(rm), "rm -r %s", dir);
	status = system(rm);
	return tap_done() | status;
}
