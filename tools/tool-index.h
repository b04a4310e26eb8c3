/*
 * tool-index.h - a checkpoint for plans, whether it is there or not
 */
#ifndef K3_TOOLS_TOOL_INDEX_H
#define K3_TOOLS_TOOL_INDEX_H

#include "common/st.h"

/*
 * Index 'dir'.  If files of it are not there, or not all, presume the released
 * layout, with a note.  Exits on failure: files that are there are not as they
 * should be.
 */
struct k3_st *tool_index(const char *dir, const struct k3_cfg *cfg);

#endif
