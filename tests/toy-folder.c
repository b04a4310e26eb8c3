/*
 * toy-folder.c - a toy's folder and the files in it
 */
#include <err.h>
#include <errno.h>
#include <sys/stat.h>
#include <sysexits.h>

#include "tests/toy.h"

FILE *
toy_create(const char *dir, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if ((f = fopen(path, "wb")) == NULL)
		err(EX_CANTCREAT, "cannot create '%s'", path);
	setvbuf(f, NULL, _IOFBF, 1 << 20);
	return f;
}

void
toy_close(FILE *f, const char *name)
{
	bool bad = ferror(f) != 0;

	if (fclose(f) != 0 || bad)
		err(EX_IOERR, "cannot write '%s'", name);
}

void
toy_write(const struct toy *toy, const char *dir)
{
	if (mkdir(dir, 0777) != 0 && errno != EEXIST)
		err(EX_CANTCREAT, "cannot create '%s'", dir);
	toy_text(toy, dir);
	toy_shards(toy, dir);
}
