/*
 * tool-json.h - what tools say in JSON
 */
#ifndef K3_TOOLS_TOOL_JSON_H
#define K3_TOOLS_TOOL_JSON_H

#include "common/json.h"

/*
 * An argument, or a file's name, as a JSON string.  One that is not UTF-8
 * cannot be one: there each byte beyond ASCII becomes a question mark.
 */
struct k3_json *tool_json_text(const char *arg);

#endif
