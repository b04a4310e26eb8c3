/*
 * cfgcheck.h - what must hold between the fields of a config
 */
#ifndef K3_COMMON_CFGCHECK_H
#define K3_COMMON_CFGCHECK_H

#include "common/cfg.h"
#include "common/notes.h"

/*
 * Note each condition that fails; one that needs a field which was refused
 * already, and is 0, holds its peace.  Sets cfg->kda_width.
 */
void k3_cfgcheck(struct k3_cfg *cfg, struct k3_notes *notes);

#endif
