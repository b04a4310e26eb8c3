/*
 * pack.h - what k3-pack's verbs share
 */
#ifndef K3_TOOLS_PACK_H
#define K3_TOOLS_PACK_H

#include <stdnoreturn.h>

#include "common/pack.h"
#include "tools/tool-progress.h"

struct pack {
	struct k3_cfg cfg;
	struct k3_st *st;
	uint8_t fingerprint[K3_DIGEST128];
	char *dir;            /* of the packed trunk */
	unsigned first, last; /* layers to do; the head counts as one more */
	bool quiet, verbose;
	struct tool_progress progress;
};

/* k3-pack.c: all of these die, by the signal if there was one, on failure. */
noreturn void pack_die(struct pack *p, const struct k3_err *err);

/* DIR/NAME, to be freed. */
char *pack_join(const char *dir, const char *name);

/* Bytes of a layer's file, and its tensors. */
uint64_t pack_size(const struct pack *p, unsigned layer, uint32_t *ntensor);

/* k3_pack_look(); never K3_PACK_FAILED. */
enum k3_pack_state pack_look(struct pack *p, unsigned layer,
    struct k3_layer **l, struct k3_err *err);

/* Bytes that are free for the folder, which need not be there. */
uint64_t pack_free(struct pack *p);

/* pack-write.c */
void pack_write(struct pack *p);
void pack_write_stdout(struct pack *p);

/* pack-show.c */
void pack_plan(struct pack *p);
void pack_list(const char *file);

/* pack-remove.c */
void pack_remove(struct pack *p);

#endif
