/*
 * cgroup.c - what control groups allow, in trees made up here
 */
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "tests/tap.h"

static void
put(const char *path, const char *text)
{
	FILE *fp = fopen(path, "w");

	if (fp == NULL || fputs(text, fp) == EOF || fclose(fp) != 0)
		abort();
}

static void
folder(const char *path)
{
	if (mkdir(path, 0700) != 0)
		abort();
}

static void
version2(void)
{
	folder("two");
	folder("two/a");
	folder("two/a/b");
	put("list", "0::/a/b\n");
	ok(k3_cgroup_room("list", "two") == UINT64_MAX, "no limit anywhere");
	put("two/a/b/memory.max", "max\n");
	put("two/a/b/memory.current", "5000\n");
	ok(k3_cgroup_room("list", "two") == UINT64_MAX, "a limit of max");
	put("two/a/memory.max", "9000\n");
	put("two/a/memory.current", "8000\n");
	ok(k3_cgroup_room("list", "two") == 1000, "a limit of a group above");
	put("two/a/b/memory.max", "5500\n");
	ok(k3_cgroup_room("list", "two") == 500, "the least of two limits");
	put("two/a/b/memory.stat",
	    "anon 4000\nfile 1000\ninactive_file 700\nactive_file 200\n"
	    "workingset_refault_file 9\n");
	ok(k3_cgroup_room("list", "two") == 1000, "cached files are room");
	put("two/a/memory.current", "9001\n");
	ok(k3_cgroup_room("list", "two") == 0, "more in use than allowed");
}

static void
version1(void)
{
	folder("one");
	folder("one/memory");
	put("list", "9:name=systemd:/\n4:memory:/docker/0\n3:cpuset:/\n0::/\n");
	put("one/memory/memory.limit_in_bytes", "1000\n");
	put("one/memory/memory.usage_in_bytes", "900\n");
	ok(k3_cgroup_room("list", "one") == 100,
	    "version 1, of a path that is not in this tree");
	put("one/memory/memory.stat",
	    "cache 300\ninactive_file 1\ntotal_inactive_file 300\n");
	ok(k3_cgroup_room("list", "one") == 400, "and cached files");
	ok(k3_cgroup_room("none", "one") == UINT64_MAX, "no list of groups");
}

static void
cpus2(void)
{
	put("list", "0::/a/b\n");
	ok(k3_cgroup_cpus("list", "two") == UINT_MAX, "no quota anywhere");
	put("two/a/b/cpu.max", "max 100000\n");
	ok(k3_cgroup_cpus("list", "two") == UINT_MAX, "a quota of max");
	put("two/a/cpu.max", "400000 100000\n");
	ok(k3_cgroup_cpus("list", "two") == 4, "a quota of a group above");
	put("two/a/b/cpu.max", "150000 100000\n");
	ok(k3_cgroup_cpus("list", "two") == 2, "one and a half CPUs are two");
	put("two/a/b/cpu.max", "10000 100000\n");
	ok(k3_cgroup_cpus("list", "two") == 1, "a tenth of a CPU is one");
	put("two/a/b/cpu.max", "50000\n");
	ok(k3_cgroup_cpus("list", "two") == 4, "a quota without a period");
	put("two/a/b/cpu.max", "50000 0\n");
	ok(k3_cgroup_cpus("list", "two") == 4, "a period of nothing");
}

static void
cpus1(void)
{
	folder("one/cpu");
	put("list", "5:memory:/\n4:cpu,cpuacct:/docker/0\n");
	put("one/cpu/cpu.cfs_quota_us", "-1\n");
	put("one/cpu/cpu.cfs_period_us", "100000\n");
	ok(k3_cgroup_cpus("list", "one") == UINT_MAX, "version 1, no quota");
	put("one/cpu/cpu.cfs_quota_us", "300000\n");
	ok(k3_cgroup_cpus("list", "one") == 3, "version 1, three CPUs");
	put("list", "3:cpuset:/\n4:cpuacct:/\n");
	ok(k3_cgroup_cpus("list", "one") == UINT_MAX,
	    "controllers whose names only begin like it");
}

int
main(void)
{
	char dir[] = "/tmp/k3-cgroup.XXXXXX", rm[64];
	int status;

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	version2();
	version1();
	cpus2();
	cpus1();
	snprintf(rm, sizeof(rm), "rm -r %s", dir);
	status = system(rm);
	return tap_done() | status;
}
