/*
 * pretok.c - any bytes, split as by backtracking
 */
#include <stdint.h>
#include <stdlib.h>

#include "common/pretok.h"
#include "tests/slow-split.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct slow slow;
	size_t n;

	if (size > SLOW_MAX)
		size = SLOW_MAX;
	for (size_t i = 0; i < size; i += n) {
		slow_read(&slow, text + i, size - i);
		n = k3_pretok(text + i, size - i);
		if (n != slow.off[slow_piece(&slow)])
			abort();
	}
	return 0;
}
