/*
 * sidecar.c - any bytes as a file of digests
 *
 * What is accepted is the same bytes when it is written.  What is taken as
 * unfinished has lines that a whole file could have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/sidecar.h"
#include "tests/shards.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t print[K3_DIGEST128];
static struct k3_cfg cfg;

static char *
written(const struct k3_sidecar *s, size_t *len)
{
	char *text = NULL;
	FILE *fp = open_memstream(&text, len);

	if (fp == NULL || k3_sidecar_put(s, fp) != 0 || fclose(fp) != 0)
		abort();
	return text;
}

static void
whole(const char *path, const uint8_t *data, size_t size)
{
	struct k3_err err = { .msg = "" };
	struct k3_sidecar *s = k3_sidecar_open(&cfg, print, &err);
	bool foreign;
	size_t len;
	char *text;

	if (s == NULL)
		abort();
	if (k3_sidecar_load(s, path, &foreign, &err) == 0) {
		text = written(s, &len);
		if (len != size || memcmp(text, data, size) != 0)
			abort();
		free(text);
	} else if (err.code != EX_DATAERR || strchr(err.msg, '\n') != NULL) {
		abort();
	}
	k3_sidecar_close(s);
}

static void
part(const char *path, size_t size)
{
	struct k3_err err = { .msg = "" };
	struct k3_sidecar *s = k3_sidecar_open(&cfg, print, &err);
	uint64_t used = 0, n = 0;

	if (s == NULL)
		abort();
	if (k3_sidecar_resume(s, path, &used, &err) == 0 && used > size)
		abort();
	for (uint64_t i = 0; i < k3_sidecar_count(s); i++)
		n += k3_sidecar_has(s, i);
	if (n * 20 > size)
		abort();
	k3_sidecar_close(s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("sidecar", MFD_CLOEXEC);
	char path[32];

	if (cfg.nlayer == 0) {
		shards_config(&cfg);
		/* A seed of few kilobytes. */
		cfg.nlayer = 2;
		cfg.experts = 2;
	}
	if (fd == -1 || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	whole(path, data, size);
	part(path, size);
	close(fd);
	return 0;
}
