/*
 * mem.c - large buffers, on 2 MB pages where that pays
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/mem.h"

#define HUGE_PAGE ((uint64_t)2 << 20)

/* Smaller buffers would waste more of a huge page than they gain. */
#define HUGE_FROM (8 * HUGE_PAGE)

uint64_t
k3_mem_size(uint64_t bytes)
{
	uint64_t unit = bytes >= HUGE_FROM ? HUGE_PAGE : 4096;

	return bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
}

uint64_t
k3_mem_fits(uint64_t bytes)
{
	uint64_t unit = bytes >= HUGE_FROM ? HUGE_PAGE : 4096;

	return bytes / unit * unit;
}

/* mmap() promises 4 KB only: map more and cut to a 2 MB boundary. */
static char *
map_aligned(uint64_t len)
{
	char *p, *q;
	uint64_t skip;

	p = mmap(NULL, len + HUGE_PAGE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	skip = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
	q = p + skip;
	if (skip > 0)
		munmap(p, skip);
	munmap(q + len, HUGE_PAGE - skip);
	madvise(q, len, MADV_HUGEPAGE);
	return q;
}

void *
k3_mem_alloc(uint64_t bytes, const char *what, struct k3_err *err)
{
	uint64_t len = k3_mem_size(bytes);
	void *p;

	if (bytes > (uint64_t)1 << 46)
		p = NULL;
	else if (len >= HUGE_FROM)
		p = map_aligned(len);
	else
		p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == NULL || p == MAP_FAILED) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate %" PRIu64 " bytes for '%s': out of memory",
		    bytes, what);
		return NULL;
	}
	return p;
}

/* MADV_POPULATE_WRITE is of Linux 5.14; before, a byte of each page. */
int
k3_mem_touch(void *p, uint64_t bytes, const char *what, struct k3_err *err)
{
	uint64_t len = k3_mem_size(bytes);
	volatile char *c = p;

	if (p == NULL)
		return 0;
#ifdef MADV_POPULATE_WRITE
	if (madvise(p, len, MADV_POPULATE_WRITE) == 0)
		return 0;
	if (errno != EINVAL)
		return k3_fail_errno(err, EX_OSERR,
		    "cannot take %" PRIu64 " bytes for '%s'", len, what);
#endif
	for (uint64_t i = 0; i < len; i += 4096) {
		char was = c[i];

		c[i] = was;
	}
	(void)what;
	(void)err;
	return 0;
}

void
k3_mem_free(void *p, uint64_t bytes)
{
	if (p != NULL)
		munmap(p, k3_mem_size(bytes));
}

/* "KEY: n kB" in a file of /proc, in bytes; or 'none'. */
static uint64_t
read_kb(const char *path, const char *key, uint64_t none)
{
	FILE *fp = fopen(path, "r");
	size_t len = strlen(key);
	uint64_t kb, bytes = none;
	char line[256];

	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		if (strncmp(line, key, len) == 0 && line[len] == ':' &&
		    sscanf(line + len + 1, "%" SCNu64, &kb) == 1)
			bytes = kb * 1024;
	if (fp != NULL)
		fclose(fp);
	return bytes;
}

uint64_t
k3_mem_peak(void)
{
	return read_kb("/proc/self/status", "VmHWM", 0);
}

uint64_t
k3_mem_available(void)
{
	uint64_t free = read_kb("/proc/meminfo", "MemAvailable", UINT64_MAX);
	uint64_t room = k3_cgroup_room("/proc/self/cgroup", "/sys/fs/cgroup");

	return free < room ? free : room;
}

/* A folder that all have: nothing is made, and nothing is left behind. */
int
k3_mem_lock(struct k3_err *err)
{
	static const char path[] = "/dev/shm";
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd == -1)
		return k3_fail_errno(err, EX_OSERR, "cannot open '%s'", path);
	while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		int busy = errno == EWOULDBLOCK;

		if (errno == EINTR)
			continue;
		k3_fail_errno(err, busy ? EX_TEMPFAIL : EX_OSERR,
		    "cannot lock '%s'", path);
		close(fd);
		return -1;
	}
	return fd;
}

uint64_t
k3_mem_swap(void)
{
	return read_kb("/proc/meminfo", "SwapFree", 0);
}
