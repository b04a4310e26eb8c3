/*
 * speed.c - any bytes as a disk's rates
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/speed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct k3_speed speed = { .memory = 1 };
	struct k3_err err = { .msg = "" };
	int status =
	    k3_speed_parse(&speed, (const char *)data, size, "fuzz", &err);

	if (speed.memory != 1 || speed.flops != 0)
		abort();
	if (status == 0 && !(speed.trunk > 0 && speed.trunk < 1e16 &&
			       speed.experts > 0 && speed.experts < 1e16))
		abort();
	if (status != 0 && (err.code != EX_DATAERR || *err.msg == '\0' ||
			       strchr(err.msg, '\n') != NULL ||
			       speed.trunk != 0 || speed.experts != 0))
		abort();
	return 0;
}
