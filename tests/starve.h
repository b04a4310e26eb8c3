/*
 * starve.h - memory that runs out at each place in turn
 *
 * The linker sends here what asks for memory, in the library and in jansson
 * (see GNUmakefile): one call of a run fails, first the first, then the second,
 * until there are no more.  Each time the work must either fail as it should or
 * be done as if nothing had been; leave nothing open; and work when it is tried
 * again.  What is lost of malloc() is AddressSanitizer's to find.
 */
#ifndef K3_TESTS_STARVE_H
#define K3_TESTS_STARVE_H

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <jansson.h>

#include "common/err.h"
#include "tests/tap.h"

/* The call that fails, from 1 (0: none); calls so far; bytes mapped. */
static atomic_long starve_at, starve_calls, starve_mapped;
static atomic_bool starve_not;

static bool
starve_refuses(void)
{
	if (atomic_load(&starve_at) == 0 || atomic_load(&starve_not) ||
	    atomic_fetch_add(&starve_calls, 1) + 1 != atomic_load(&starve_at))
		return false;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__real_aligned_alloc(size_t align, size_t n);
char *__real_strdup(const char *s);
char *__real_realpath(const char *path, char *to);
FILE *__real_open_memstream(char **p, size_t *n);
void *__real_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off);
int __real_munmap(void *p, size_t n);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg);

json_t *__real_json_loadb(const char *text, size_t n, size_t flags,
    json_error_t *error);

void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__wrap_aligned_alloc(size_t align, size_t n);
char *__wrap_strdup(const char *s);
char *__wrap_realpath(const char *path, char *to);
int __wrap_asprintf(char **p, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
FILE *__wrap_open_memstream(char **p, size_t *n);
void *__wrap_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off);
int __wrap_munmap(void *p, size_t n);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg);
json_t *__wrap_json_loadb(const char *text, size_t n, size_t flags,
    json_error_t *error);

void *
__wrap_malloc(size_t n)
{
	return starve_refuses() ? NULL : __real_malloc(n);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	return starve_refuses() ? NULL : __real_calloc(n, size);
}

void *
__wrap_realloc(void *p, size_t n)
{
	return starve_refuses() ? NULL : __real_realloc(p, n);
}

void *
__wrap_aligned_alloc(size_t align, size_t n)
{
	return starve_refuses() ? NULL : __real_aligned_alloc(align, n);
}

char *
__wrap_strdup(const char *s)
{
	return starve_refuses() ? NULL : __real_strdup(s);
}

char *
__wrap_realpath(const char *path, char *to)
{
	return starve_refuses() ? NULL : __real_realpath(path, to);
}

/* Of the pointer nothing is promised after a failure: not even NULL. */
int
__wrap_asprintf(char **p, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (starve_refuses()) {
		memset(p, 0x11, sizeof(*p));
		return -1;
	}
	va_start(ap, fmt);
	n = vasprintf(p, fmt, ap);
	va_end(ap);
	return n;
}

FILE *
__wrap_open_memstream(char **p, size_t *n)
{
	return starve_refuses() ? NULL : __real_open_memstream(p, n);
}

void *
__wrap_mmap64(void *p, size_t n, int prot, int flags, int fd, off_t off)
{
	void *got = MAP_FAILED;

	if (!starve_refuses())
		got = __real_mmap64(p, n, prot, flags, fd, off);
	if (got != MAP_FAILED)
		atomic_fetch_add(&starve_mapped, (long)n);
	return got;
}

int
__wrap_munmap(void *p, size_t n)
{
	atomic_fetch_sub(&starve_mapped, (long)n);
	return __real_munmap(p, n);
}

int
__wrap_pthread_create(pthread_t *t, const pthread_attr_t *attr,
    void *(*fn)(void *), void *arg)
{
	return starve_refuses() ? EAGAIN
				: __real_pthread_create(t, attr, fn, arg);
}

/* Where json.c has asked whether there is enough, since this can't fail. */
json_t *
__wrap_json_loadb(const char *text, size_t n, size_t flags, json_error_t *error)
{
	json_t *json;

	atomic_store(&starve_not, true);
	json = __real_json_loadb(text, n, flags, error);
	atomic_store(&starve_not, false);
	return json;
}

/* A stream of a test's own: where libc is static, it asks for memory here. */
static FILE *
starve_fopen(const char *path, const char *mode)
{
	FILE *fp;

	atomic_store(&starve_not, true);
	if ((fp = fopen(path, mode)) == NULL)
		abort();
	atomic_store(&starve_not, false);
	return fp;
}

/* Entries of a folder of /proc/self: what is open, threads. */
static unsigned
starve_count(const char *path)
{
	DIR *dir = opendir(path);
	unsigned n = 0;

	while (dir != NULL && readdir(dir) != NULL)
		n++;
	if (dir != NULL)
		closedir(dir);
	return n;
}

/* Some work, whose result is a number. */
struct starve_work {
	const char *name;
	int (*run)(uint64_t *sum, struct k3_err *err);
};

static bool
starve_again(const struct starve_work *work, uint64_t want)
{
	struct k3_err err = { .msg = "" };
	uint64_t sum = 0;

	if (work->run(&sum, &err) == 0 && sum == want)
		return true;
	diag("%s, tried again: %s", work->name, err.msg);
	return false;
}

/* Call 'n' fails.  False if there is no such call; '*bad' counts. */
static bool
starve_once(const struct starve_work *work, long n, uint64_t want,
    unsigned *bad)
{
	unsigned open = starve_count("/proc/self/fd");
	struct k3_err err = { .msg = "" };
	uint64_t sum = 0;
	long calls, mapped = atomic_load(&starve_mapped);
	bool good;
	int got;

	atomic_store(&starve_calls, 0);
	atomic_store(&starve_at, n);
	got = work->run(&sum, &err);
	atomic_store(&starve_at, 0);
	calls = atomic_load(&starve_calls);
	good = got == 0 ? sum == want
			: got == -1 && err.code == EX_OSERR && *err.msg != '\0';
	if (!good)
		diag("%s, call %ld: %d, status %d: %s", work->name, n, got,
		    err.code, err.msg);
	if (starve_count("/proc/self/fd") != open ||
	    atomic_load(&starve_mapped) != mapped) {
		diag("%s, call %ld: leaves files or memory: %s", work->name, n,
		    err.msg);
		good = false;
	}
	*bad += !good || !starve_again(work, want);
	return calls >= n;
}

static void
starve(const struct starve_work *work, long least)
{
	struct k3_err err = { .msg = "" };
	uint64_t want = 0;
	unsigned bad = 0;
	long n = 1;

	json_set_alloc_funcs(malloc, free);
	if (!ok(work->run(&want, &err) == 0 && starve_again(work, want),
		"%s, with memory", work->name)) {
		diag("%s", err.msg);
		return;
	}
	while (starve_once(work, n, want, &bad))
		n++;
	ok(bad == 0 && n > least, "%s, without memory at one place in turn",
	    work->name);
	diag("%ld places", n - 1);
}

#endif
