/*
 * tool-index.c - a checkpoint for plans, whether it is there or not
 */
#include "tools/tool-index.h"
#include "tools/tool.h"

struct k3_st *
tool_index(const char *dir, const struct k3_cfg *cfg)
{
	struct k3_err err;
	struct k3_st *st = k3_st_open(dir, cfg, &err);

	if (st != NULL)
		return st;
	if (err.code != EX_NOINPUT)
		tool_die(&err);
	tool_note("%s; planning for the released layout", err.msg);
	st = k3_st_presume(cfg, &err);
	if (st == NULL)
		tool_die(&err);
	return st;
}
