/*
 * tokenizer_config.c - any bytes as a tokenizer_config.json
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/special.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was accepted has names that are found, each for its own ID. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct k3_special s;
	struct k3_json *config;
	struct k3_err err;
	uint32_t id = 0;

	config = k3_json_parse(text, size, "fuzz", &err);
	if (config == NULL)
		return 0;
	if (k3_special_init(&s, config, "fuzz", 300, 20, &err) == 0) {
		for (uint32_t i = 0; i < s.n; i++)
			if (k3_special_find(&s, s.token[i].name, s.token[i].len,
				&id) != s.token[i].len ||
			    id != 300 + i)
				abort();
		for (size_t i = 0; i < size; i++)
			if (k3_special_find(&s, text + i, size - i, &id) >
			    size - i)
				abort();
		k3_special_fini(&s);
	}
	k3_json_free(config);
	return 0;
}
