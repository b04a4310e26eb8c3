/*
 * session-image.h - a session of a tiny model, for the tests of its reader
 */
#ifndef K3_TESTS_SESSION_IMAGE_H
#define K3_TESTS_SESSION_IMAGE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/layer-form.h"
#include "common/le.h"
#include "common/session.h"

#define IMAGE_VOCAB  5
#define IMAGE_HIDDEN 3
#define IMAGE_MOST   6 /* positions */
#define IMAGE_SNAPS  2

static const uint8_t image_print[K3_DIGEST128] = "fingerprint 123";

/* Two KDA layers and two of MLA; a snapshot before every other layer. */
static inline void
image_config(struct k3_cfg *cfg)
{
	memset(cfg, 0, sizeof(*cfg));
	cfg->hidden = IMAGE_HIDDEN;
	cfg->nlayer = 4;
	cfg->vocab = IMAGE_VOCAB;
	cfg->max_pos = IMAGE_MOST;
	cfg->res_block = 2;
	cfg->kda_heads = 2;
	cfg->kda_dim = 1;
	cfg->kda_width = 2;
	cfg->kv_lora = 2;
	cfg->rope = 1;
	cfg->mla[1] = cfg->mla[3] = true;
}

/* Everything that a session of it can be read into. */
struct image_room {
	uint32_t ids[IMAGE_MOST + 1];
	struct k3_state state;
	float prefix[IMAGE_MOST * IMAGE_HIDDEN];
	float rows[IMAGE_SNAPS][IMAGE_MOST * IMAGE_HIDDEN];
	float *snap[IMAGE_SNAPS];
	float logits[IMAGE_VOCAB];
};

static inline void
image_room(struct image_room *r, const struct k3_cfg *cfg)
{
	struct k3_err err;

	memset(r, 0, sizeof(*r));
	for (int i = 0; i < IMAGE_SNAPS; i++)
		r->snap[i] = r->rows[i];
	if (k3_state_init(&r->state, cfg, IMAGE_MOST, &err) != 0)
		abort();
}

/* Numbers that are neither all alike nor zero. */
static inline void
image_fill(struct image_room *r)
{
	float *kda = r->state.kda, v = 1;

	for (uint32_t i = 0; i <= IMAGE_MOST; i++)
		r->ids[i] = (3 * i + 1) % IMAGE_VOCAB;
	for (uint64_t i = 0; i < k3_state_bytes(r->state.cfg) / 4; i++)
		kda[i] = v++;
	for (uint64_t i = 0; i < (uint64_t)2 * 3 * IMAGE_MOST; i++)
		r->state.latents[i] = v++;
	for (int i = 0; i < IMAGE_MOST * IMAGE_HIDDEN; i++) {
		r->prefix[i] = v++;
		for (int k = 0; k < IMAGE_SNAPS; k++)
			r->rows[k][i] = v++;
	}
	for (int i = 0; i < IMAGE_VOCAB; i++)
		r->logits[i] = v++;
}

/* The file of 's', in memory; free() it. */
static inline char *
image_write(const struct k3_session *s, struct image_room *r, size_t *len)
{
	struct k3_held held = { s->rows, s->half, 0, r->prefix, r->snap };
	struct k3_session_parts parts = { r->state.cfg, image_print, r->ids,
		&r->state, &held, r->logits };
	char dir[] = "/tmp/k3-session-XXXXXX", path[64], *data = NULL;
	struct k3_err err;
	uint64_t bytes = 0;
	FILE *fp;

	held.nsnap = ((s->half + 1) / 2 + 1) / 2;
	r->state.pos = s->position;
	if (mkdtemp(dir) == NULL)
		abort();
	snprintf(path, sizeof(path), "%s/s", dir);
	if (k3_session_save(path, s, &parts, &bytes, &err) == 0 &&
	    (fp = fopen(path, "r")) != NULL) {
		data = malloc(bytes);
		*len = data != NULL ? fread(data, 1, bytes, fp) : 0;
		fclose(fp);
	}
	unlink(path);
	rmdir(dir);
	if (data == NULL)
		abort();
	return data;
}

/* A file without a name: its path. */
static inline int
image_file(const void *data, size_t len, char path[32])
{
	int fd = memfd_create("session", MFD_CLOEXEC);

	if (fd == -1 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return fd;
}

/* Read all that there is; 0, or -1: refused. */
static inline int
image_read(const char *path, struct image_room *r, struct k3_session *s,
    struct k3_err *err)
{
	struct k3_held held = { .prefix = r->prefix, .snap = r->snap };
	struct k3_session_file *f =
	    k3_session_open(path, r->state.cfg, image_print, s, err);
	int bad = f == NULL || k3_session_get_ids(f, r->ids, err) != 0 ||
		  k3_session_get_state(f, &r->state, err) != 0 ||
		  (s->rows > 0 && k3_session_get_pass(f, &held, err) != 0) ||
		  (s->n > 0 && s->position == s->n &&
		      k3_session_get_logits(f, r->logits, err) != 0);

	k3_session_close(f);
	return bad ? -1 : 0;
}

/* Make all digests right again, as an enemy would.  False: no such file. */
static inline bool
image_forge(uint8_t *data, size_t len)
{
	char path[32];
	int fd = image_file(data, len, path);
	struct k3_err err;
	uint8_t *trail;
	size_t n;

	/* Head and trailer first, or it does not open. */
	if (len < K3_FORM_HEAD)
		goto out;
	n = K3_FORM_TRAIL + (size_t)8 * k3_le_get32(data + 20);
	if (k3_le_get32(data + 20) > K3_LAYER_TENSOR || len < n ||
	    k3_le_get64(data + 40) > len)
		goto out;
	trail = data + len - n;
	k3_le_put64(trail + 16, k3_digest64(data, k3_le_get64(data + 40)));
	for (int i = 0; i < 2; i++) {
		struct k3_layer *l;

		k3_le_put64(trail + n - 8, k3_digest64(trail, n - 8));
		if (pwrite(fd, data, len, 0) != (ssize_t)len)
			abort();
		l = k3_layer_open(path, &err);
		for (uint32_t k = 0; l != NULL && k < l->ntensor; k++) {
			void *buf = malloc(l->tensor[k].len + 1);

			if (buf == NULL ||
			    k3_layer_read(l, &l->tensor[k], 0, buf,
				l->tensor[k].len, &err) != 0)
				abort();
			k3_le_put64(trail + 24 + (size_t)8 * k,
			    k3_digest64(buf, l->tensor[k].len));
			free(buf);
		}
		k3_layer_close(l);
		if (l == NULL)
			goto out;
	}
	close(fd);
	return true;
out:
	close(fd);
	return false;
}

#endif
