/*
 * golden.c - files that must be read, and files that must not
 *
 * In tests/golden/bad, config-NAME.json is a config, st-NAME.safetensors a
 * checkpoint of one file, routes-NAME a stream of routes, .route if text, and
 * session-NAME.k3s a session of session-image.h's model; beside each, an .err
 * file has what is said of it.  In good, there is nothing to say.  Another case
 * is another file.  With K3_BLESS=1 in the environment the .err files are
 * written: read the diff.
 */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/buf.h"
#include "common/routes.h"
#include "common/st.h"
#include "tests/session-image.h"
#include "tests/shards.h"
#include "tests/tap.h"

static bool
ends(const char *name, const char *with)
{
	size_t n = strlen(name), m = strlen(with);

	return n > m && strcmp(name + n - m, with) == 0;
}

static void
read_config(const char *path, struct k3_err *err)
{
	static struct k3_cfg cfg;
	struct k3_buf buf = { 0 };

	if (k3_buf_load(&buf, path, err) == 0 &&
	    k3_cfg_parse(&cfg, buf.data, buf.len, strrchr(path, '/') + 1,
		err) == 0)
		err->code = 0;
	k3_buf_fini(&buf);
}

static void
read_checkpoint(const char *path, struct k3_err *err)
{
	static struct k3_cfg cfg;
	char dir[] = "/tmp/k3-golden-XXXXXX", real[PATH_MAX], link[64], *at;
	struct k3_st *st;

	shards_config(&cfg);
	cfg.nlayer = 2;
	cfg.experts = 1;
	if (mkdtemp(dir) == NULL || realpath(path, real) == NULL)
		abort();
	snprintf(link, sizeof(link), "%s/model.safetensors", dir);
	if (symlink(real, link) != 0)
		abort();
	if ((st = k3_st_open(dir, &cfg, err)) != NULL)
		err->code = 0;
	k3_st_close(st);
	unlink(link);
	rmdir(dir);
	while ((at = strstr(err->msg, dir)) != NULL)
		memmove(at, at + sizeof(dir) - 1,
		    strlen(at + sizeof(dir) - 1) + 1);
}

static void
read_routes(const char *path, struct k3_err *err)
{
	FILE *fp = fopen(path, "r");
	struct k3_routes *r;
	struct k3_route route;
	int got = -1;

	if (fp == NULL)
		abort();
	r = k3_routes_open(fp, strrchr(path, '/') + 1, err);
	while (r != NULL && (got = k3_routes_next(r, &route, err)) == 1)
		;
	if (got == 0)
		err->code = 0;
	k3_routes_close(r);
	fclose(fp);
}

static void
read_session(const char *path, struct k3_err *err)
{
	static struct k3_cfg cfg;
	static struct image_room room;
	struct k3_session s;

	image_config(&cfg);
	image_room(&room, &cfg);
	if (image_read(path, &room, &s, err) == 0)
		err->code = 0;
	k3_state_fini(&room.state);
}

static bool
as_recorded(const char *path, const char *said)
{
	char name[PATH_MAX], want[4096] = "";
	FILE *fp;

	snprintf(name, sizeof(name), "%.*s.err",
	    (int)(strrchr(path, '.') - path), path);
	if (getenv("K3_BLESS") != NULL) {
		if ((fp = fopen(name, "w")) == NULL)
			abort();
		fputs(said, fp);
		fclose(fp);
	}
	if ((fp = fopen(name, "r")) != NULL) {
		want[fread(want, 1, sizeof(want) - 1, fp)] = '\0';
		fclose(fp);
	}
	if (strcmp(said, want) == 0)
		return true;
	diag("got %s", said);
	diag("want %s", want);
	return false;
}

static void
check(const char *folder, const char *name)
{
	char path[PATH_MAX], said[sizeof(((struct k3_err *)0)->msg) + 16];
	struct k3_err err = { .msg = "" };

	snprintf(path, sizeof(path), "tests/golden/%s/%s", folder, name);
	if (strncmp(name, "config-", 7) == 0 && ends(name, ".json"))
		read_config(path, &err);
	else if (strncmp(name, "st-", 3) == 0 && ends(name, ".safetensors"))
		read_checkpoint(path, &err);
	else if (strncmp(name, "session-", 8) == 0 && ends(name, ".k3s"))
		read_session(path, &err);
	else if (strncmp(name, "routes-", 7) == 0 && !ends(name, ".err"))
		read_routes(path, &err);
	else
		return;
	snprintf(said, sizeof(said), "%d %s\n", err.code, err.msg);
	if (strcmp(folder, "good") == 0)
		ok(err.code == 0, "good %s %s", name, err.msg);
	else
		ok(err.code != 0 && as_recorded(path, said), "bad %s", name);
}

int
main(void)
{
	static const char *const folders[] = { "good", "bad" };
	struct dirent **list;
	char path[64];

	for (int i = 0; i < 2; i++) {
		int n;

		snprintf(path, sizeof(path), "tests/golden/%s", folders[i]);
		n = scandir(path, &list, NULL, alphasort);
		ok(n > 2, "there are %s files", folders[i]);
		for (int k = 0; k < n; k++) {
			check(folders[i], list[k]->d_name);
			free(list[k]);
		}
		if (n >= 0)
			free(list);
	}
	return tap_done();
}
