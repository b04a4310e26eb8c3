/*
 * tool-input.h - sequences of IDs that a model is run on
 */
#ifndef K3_TOOLS_TOOL_INPUT_H
#define K3_TOOLS_TOOL_INPUT_H

#include "common/cfg.h"
#include "common/ids.h"

/*
 * The file, or standard input for NULL and "-"; signals end the wait for it
 * with EX_OK, "stopped".  Dies if it cannot be opened.  free() it.
 */
struct k3_ids *tool_input_open(const char *path, const struct k3_cfg *cfg);

/*
 * The next sequence: 1, 0 at the end, or -1.  No more of it is held in memory
 * than it takes to refuse a line that does not fit 'context' positions (0: not
 * known yet).
 */
int tool_input_next(struct k3_ids *in, struct k3_ids_seq *seq, uint32_t context,
    const struct k3_cfg *cfg, struct k3_err *err);

/* Does it fit the planned context?  0, or -1 with EX_UNAVAILABLE. */
int tool_input_fits(const struct k3_ids *in, const struct k3_ids_seq *seq,
    uint32_t context, struct k3_err *err);

#endif
