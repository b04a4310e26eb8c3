/*
 * cpu.c - CPU levels: names, and which of them are slow
 */
#include <string.h>

#include "common/cpu.h"
#include "kernels/kernels.h"
#include "tests/tap.h"

int
main(void)
{
	static const unsigned level[] = { 0, K3_CPU_AVX2,
		K3_CPU_AVX2 | K3_CPU_AVX512, K3_CPU_NEON };
	static const char *const name[] = { "scalar", "avx2", "avx512",
		"neon" };
	struct k3_err err;
	unsigned cpu;

	for (size_t i = 0; i < sizeof(level) / sizeof(*level); i++) {
		ok(strcmp(k3_cpu_name(level[i]), name[i]) == 0,
		    "%s is named so", name[i]);
		ok(k3_cpu_plain(level[i]) == (i == 0), "%s computes in %s",
		    name[i], i == 0 ? "plain C" : "vectors");
		if ((level[i] & ~k3_cpu_best()) == 0)
			ok(k3_cpu_parse(name[i], &cpu, &err) == 0 &&
				cpu == level[i],
			    "%s can be asked for", name[i]);
		else
			ok(k3_cpu_parse(name[i], &cpu, &err) == -1 &&
				err.code == EX_UNAVAILABLE,
			    "%s, which this CPU lacks, is refused", name[i]);
	}
	ok(k3_cpu_parse("sse", &cpu, &err) == -1 && err.code == EX_USAGE,
	    "there is no level sse");
	return tap_done();
}
