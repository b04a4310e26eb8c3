/*
 * shards.h - a checkpoint's files, for reads in flight
 *
 * Trunk and experts read from the same files through the same queue; a file is
 * made known to it when the first of them wants it.
 */
#ifndef K3_COMMON_SHARDS_H
#define K3_COMMON_SHARDS_H

#include "common/io.h"
#include "common/par.h"
#include "common/sidecar.h"
#include "common/st.h"

struct k3_shards {
	struct k3_st *st;
	struct k3_io *io;
	struct k3_sidecar *digests; /* to check what is read, or NULL */
	const struct k3_par *par;   /* and who does, or NULL */
	struct k3_io_file **file;   /* [files], NULL where not yet known */
};

/*
 * All must outlive it; 'digests' and 'par' may be NULL where nothing is
 * checked. 0, or -1 with EX_OSERR.
 */
int k3_shards_init(struct k3_shards *s, struct k3_st *st, struct k3_io *io,
    struct k3_sidecar *digests, const struct k3_par *par, struct k3_err *err);
void k3_shards_fini(struct k3_shards *s);

/* The file of that number, or NULL. */
struct k3_io_file *k3_shards_file(struct k3_shards *s, unsigned file,
    struct k3_err *err);

#endif
