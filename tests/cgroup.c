/*
 * cgroup.c - room under the limits of control groups, in trees made up here
 */
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

int
main(void)
{
	char dir[] = "/tmp/k3-cgroup.XXXXXX", rm[64];
	int status;

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	version2();
	version1();
	snprintf(rm, sizeof(rm), "rm -r %s", dir);
	status = system(rm);
	return tap_done() | status;
}
