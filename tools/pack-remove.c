/*
 * pack-remove.c - k3-pack --remove: the packed trunk of one model, nothing else
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/pack.h"
#include "tools/tool.h"

static void
remove_file(struct pack *p, const char *name, bool wanted)
{
	char *path = pack_join(p->dir, name);
	struct k3_err err;

	if (unlink(path) != 0 && (wanted || errno != ENOENT)) {
		k3_fail_errno(&err, EX_IOERR, "cannot remove '%s'", path);
		pack_die(p, &err);
	}
	if (wanted && p->verbose)
		tool_note("removed '%s'", path);
	free(path);
}

void
pack_remove(struct pack *p)
{
	for (unsigned i = p->first; i <= p->last; i++) {
		char name[K3_PACK_NAME], tmp[K3_PACK_NAME + 8];
		enum k3_pack_state state;
		struct k3_layer *l;
		struct k3_err err;

		k3_pack_name(&p->cfg, i, name);
		state = pack_look(p, i, &l, &err);
		k3_layer_close(l);
		/* A damaged file may be anybody's. */
		if (state == K3_PACK_READY)
			remove_file(p, name, true);
		else if (state != K3_PACK_MISSING && !p->quiet)
			tool_warn(&err);
		/* What a killed k3-pack left. */
		snprintf(tmp, sizeof(tmp), ".%s.tmp", name);
		remove_file(p, tmp, false);
	}
	/* It stays if something else is in it, or if it was never there. */
	rmdir(p->dir);
}
