/*
 * tool-json.c - what tools say in JSON
 */
#include <stdlib.h>
#include <string.h>

#include "tools/tool-json.h"

struct k3_json *
tool_json_text(const char *arg)
{
	struct k3_json *json = k3_json_pack("s", arg);
	char *plain;

	if (json != NULL || (plain = strdup(arg)) == NULL)
		return json;
	for (char *p = plain; *p != '\0'; p++)
		if ((*p & 0x80) != 0)
			*p = '?';
	json = k3_json_pack("s", plain);
	free(plain);
	return json;
}
