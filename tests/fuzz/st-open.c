/*
 * st-open.c - any bytes as the only file of a checkpoint
 *
 * What is opened must be what st.h says: every needed tensor inside the file,
 * as long as its shape, and no byte of it another's.  What is not must be told
 * of by a survey, which finds nothing else but bytes behind the last tensor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/st.h"
#include "tests/shards.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char dir[] = "/tmp/k3-fuzz-XXXXXX", path[64];
static struct k3_cfg cfg;
static size_t size_of_input;

static void
cleanup(void)
{
	unlink(path);
	rmdir(dir);
}

static void
prepare(void)
{
	shards_config(&cfg);
	/* Two layers, one expert: a seed of few kilobytes. */
	cfg.nlayer = 2;
	cfg.experts = 1;
	if (mkdtemp(dir) == NULL)
		abort();
	snprintf(path, sizeof(path), "%s/model.safetensors", dir);
	atexit(cleanup);
}

static void
take(uint8_t *seen, size_t size, struct k3_loc loc)
{
	if (loc.file != 0 || loc.off > size || loc.len > size - loc.off)
		abort();
	for (uint64_t i = loc.off; i < loc.off + loc.len; i++)
		if (seen[i]++ != 0)
			abort();
}

static void
check(const struct k3_st *st, size_t size)
{
	uint8_t *seen = calloc(1, size);
	struct k3_shape shape;

	if (seen == NULL)
		abort();
	for (unsigned l = 0; l <= cfg.nlayer; l++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			if (k3_tensor_shape(&cfg, l, (enum k3_tensor)t, &shape))
				take(seen, size,
				    k3_st_tensor(st, l, (enum k3_tensor)t));
	for (unsigned p = 0; p < K3_NPART; p++)
		take(seen, size, k3_st_part(st, 1, 0, (enum k3_part)p));
	free(seen);
}

static void
on_wrong(void *arg, const struct k3_err *err)
{
	unsigned *wrong = arg;

	if (*err->msg == '\0' || strchr(err->msg, '\n') != NULL)
		abort();
	*wrong += strstr(err->msg, "behind its last tensor") == NULL;
}

static void
on_unneeded(void *arg, const char *file, const char *tensor)
{
	(void)arg;
	if (strcmp(file, path) != 0 || strlen(tensor) > size_of_input)
		abort();
}

static void
survey(bool good)
{
	unsigned wrong = 0;
	const struct k3_st_watch watch = { &wrong, on_wrong, on_unneeded };
	struct k3_err err;
	struct k3_st *st = k3_st_survey(dir, &cfg, &watch, &err);

	if (st == NULL || (wrong == 0) != good ||
	    (good && k3_st_found(st) != k3_st_needed(st)))
		abort();
	k3_st_close(st);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct k3_err err = { .msg = "" };
	struct k3_st *st;
	FILE *fp;

	if (cfg.nlayer == 0)
		prepare();
	if ((fp = fopen(path, "wb")) == NULL ||
	    fwrite(data, 1, size, fp) != size || fclose(fp) != 0)
		abort();
	if ((st = k3_st_open(dir, &cfg, &err)) != NULL)
		check(st, size);
	else if (err.code != EX_DATAERR || *err.msg == '\0')
		abort();
	size_of_input = size;
	survey(st != NULL);
	k3_st_close(st);
	return 0;
}
