/*
 * file.c - files that appear whole or not at all
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"
#include "tests/tap.h"

static bool
holds(const char *path, const char *want)
{
	char buf[64] = "";
	FILE *fp = fopen(path, "r");
	size_t n;

	if (fp == NULL)
		return want == NULL;
	n = fread(buf, 1, sizeof(buf) - 1, fp);
	fclose(fp);
	return want != NULL && strlen(want) == n && memcmp(buf, want, n) == 0;
}

static void
put(const char *path, const char *text)
{
	FILE *fp = fopen(path, "w");

	if (fp == NULL || fputs(text, fp) == EOF || fclose(fp) != 0)
		abort();
}

static void
whole_or_not(void)
{
	struct k3_file f, g;
	struct k3_err err;
	struct stat st;

	ok(k3_file_create(&f, "a", K3_FILE_PRIVATE, &err) == 0, "create");
	fputs("one", f.fp);
	fflush(f.fp);
	ok(holds("a", NULL), "nothing is there before the commit");
	ok(k3_file_create(&g, "a", K3_FILE_PRIVATE, &err) == -1 &&
		err.code == EX_CANTCREAT && holds(".a.tmp", "one"),
	    "a second writer is refused and harms nothing");
	ok(k3_file_commit(&f, &err) == 0 && holds("a", "one") &&
		holds(".a.tmp", NULL),
	    "all of it is there afterwards, and nothing else");
	ok(stat("a", &st) == 0 && (st.st_mode & 0777) == 0600,
	    "a private file is private");
	k3_file_create(&f, "a", K3_FILE_PUBLIC, &err);
	fputs("two", f.fp);
	k3_file_abort(&f);
	ok(holds("a", "one") && holds(".a.tmp", NULL),
	    "after giving up the old file is there");
	k3_file_abort(&f);
	put(".a.tmp", "left by a killed process");
	k3_file_create(&f, "a", K3_FILE_PUBLIC, &err);
	fputs("three", f.fp);
	ok(k3_file_commit(&f, &err) == 0 && holds("a", "three") &&
		holds(".a.tmp", NULL),
	    "what a killed process left is replaced");
	umask(027);
	k3_file_create(&f, "b", K3_FILE_PUBLIC, &err);
	k3_file_commit(&f, &err);
	ok(stat("b", &st) == 0 && (st.st_mode & 0777) == 0640,
	    "a public file obeys the umask");
}

static void
special(void)
{
	struct k3_file f;
	struct k3_err err;
	struct stat st;

	ok(k3_file_create(&f, "/dev/null", K3_FILE_PRIVATE, &err) == 0 &&
		fputs("x", f.fp) != EOF && k3_file_commit(&f, &err) == 0 &&
		stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode),
	    "a device is written, not replaced");
	k3_file_create(&f, "/dev/full", K3_FILE_PRIVATE, &err);
	fputs("x", f.fp);
	ok(k3_file_commit(&f, &err) == -1 && err.code == EX_IOERR,
	    "a full device: %s", err.msg);
	put("target", "old");
	ok(symlink("target", "link") == 0 &&
		k3_file_create(&f, "link", K3_FILE_PRIVATE, &err) == 0 &&
		fputs("new", f.fp) != EOF && k3_file_commit(&f, &err) == 0 &&
		holds("target", "new") && lstat("link", &st) == 0 &&
		S_ISLNK(st.st_mode),
	    "a link stays, the file that it names is replaced");
	put("victim", "old");
	ok(symlink("victim", ".trap.tmp") == 0 &&
		k3_file_create(&f, "trap", K3_FILE_PRIVATE, &err) == -1 &&
		holds("victim", "old"),
	    "a link in the place of the temporary file: %s", err.msg);
	ok(k3_file_create(&f, "no/such", K3_FILE_PRIVATE, &err) == -1 &&
		err.code == EX_CANTCREAT,
	    "no folder: %s", err.msg);
	ok(k3_file_create(&f, "/", K3_FILE_PRIVATE, &err) == -1 &&
		err.code == EX_CANTCREAT,
	    "a folder: %s", err.msg);
}

static void
links(void)
{
	static const struct {
		const char *name, *text, *why;
		bool may;
	} c[] = {
		{ "mine", "#mine 1\n", "a link to such a file", true },
		{ "empty", "", "a link to an empty file", true },
		{ "yours", "#your", "a link to another file", false },
		{ "short", "#min", "a link to a shorter file", false },
	};
	struct k3_err err;

	ok(k3_file_may_replace("nothing", "#mine", 5, "such", &err) == 0,
	    "what is not there may be replaced");
	put("text", "text");
	ok(k3_file_may_replace("text", "#mine", 5, "such", &err) == 0,
	    "and what is a file itself");
	ok(symlink("nowhere", "dangling") == 0 &&
		k3_file_may_replace("dangling", "#mine", 5, "such", &err) == 0,
	    "and a link to nothing");
	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		char link[16];

		put(c[i].name, c[i].text);
		snprintf(link, sizeof(link), "%s.l", c[i].name);
		err.code = EX_CANTCREAT;
		ok(symlink(c[i].name, link) == 0 &&
			(k3_file_may_replace(link, "#mine", 5, "such", &err) ==
			    0) == c[i].may &&
			err.code == EX_CANTCREAT,
		    "%s", c[i].why);
	}
	ok(mkfifo("fifo", 0600) == 0 &&
		k3_file_may_replace("fifo", "#mine", 5, "such", &err) == -1 &&
		err.code == EX_NOINPUT,
	    "a FIFO: %s", err.msg);
}

int
main(void)
{
	char dir[] = "/tmp/k3-file-XXXXXX";
	char clean[64];
	int bad;

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	whole_or_not();
	special();
	links();
	bad = tap_done();
	snprintf(clean, sizeof(clean), "rm -rf %s", dir);
	return system(clean) != 0 || bad;
}
