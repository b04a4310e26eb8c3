/*
 * sums.c - lists of files with their SHA-256: both forms, and bad ones
 */
#include <stdlib.h>
#include <string.h>

#include "common/sums.h"
#include "tests/tap.h"

#define HEX "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"
#define GIT "0123456789abcdef0123456789abcdef01234567"

static struct k3_err err;
static struct k3_sums sums;

static int
read_text(const char *text, size_t len)
{
	FILE *fp = fmemopen((void *)(uintptr_t)text, len, "r");
	int status;

	if (fp == NULL)
		abort();
	err.msg[0] = '\0';
	status = k3_sums_read(&sums, fp, "list", &err);
	fclose(fp);
	return status;
}

static void
good(const char *name, const char *text, size_t n)
{
	bool right = read_text(text, strlen(text)) == 0 && sums.n == n;

	for (size_t i = 0; right && i < n; i++)
		for (unsigned k = 0; k < K3_SHA256 && sums.sum[i].has_digest;
		     k++)
			right = right && sums.sum[i].digest[k] == k;
	if (!ok(right, "%s", name))
		diag("%s", err.msg);
}

static void
bad(const char *name, const char *text, size_t len, const char *want)
{
	bool right = read_text(text, len) == -1 && err.code == EX_DATAERR &&
		     strstr(err.msg, want) != NULL;

	if (!ok(right, "%s: %s", name, err.msg))
		diag("want %s", want);
	k3_sums_fini(&sums);
}
#define BAD(name, text, want) bad(name, text, sizeof(text) - 1, want)

int
main(void)
{
	good("as sha256sum writes them",
	    HEX "  b\n" HEX " *a b.c\n" HEX "  ./x/y\r\n" HEX "  last", 4);
	ok(strcmp(sums.sum[0].name, "a b.c") == 0 &&
		strcmp(sums.sum[3].name, "x/y") == 0 && !sums.sum[0].has_size,
	    "names are sorted");
	k3_sums_fini(&sums);
	good("as k3-download writes them",
	    "#k3-files 1 repository=x\n" HEX "\t12\tmodel.safetensors\n" GIT
	    "\t0\tconfig.json\n-\t5\tother\n",
	    3);
	ok(sums.sum[1].has_digest && sums.sum[1].size == 12 &&
		!sums.sum[0].has_digest && sums.sum[0].has_size &&
		!sums.sum[2].has_digest,
	    "digests of other kinds are none");
	k3_sums_fini(&sums);
	BAD("an empty list", "\n", "line 1: not a digest");
	BAD("no file", "# nothing\n", "it lists no file");
	BAD("a digest too short", "0123  a\n", "not of SHA-256");
	BAD("git's in this form", GIT "  a\n", "not of SHA-256");
	BAD("one blank", HEX " a\n", "not a digest and a name");
	BAD("no size", HEX "\t\ta\n", "a size");
	BAD("a large size", HEX "\t1234567890123456789\ta\n", "a size");
	BAD("no name", HEX "  \n", "a name");
	BAD("up", HEX "  a/../../b\n", "a name");
	BAD("from the root", HEX "  /etc/passwd\n", "a name");
	BAD("a folder", HEX "  a/\n", "a name");
	BAD("the folder itself", HEX "  .\n", "a name");
	BAD("an escaped name", "\\" HEX "  a\\nb\n", "not a digest");
	BAD("a control character", HEX "  a\x1b[m\n", "a name");
	BAD("twice", HEX "  a\n" HEX "  b\n" HEX "  a\n", "'a' twice");
	BAD("a NUL byte", HEX "  a\0b\n" HEX "  c\n", "line 1");
	return tap_done();
}
