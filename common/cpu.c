/*
 * cpu.c - CPU levels by name
 */
#include <string.h>

#include "common/cpu.h"
#include "kernels/kernels.h"

/* Lowest first; each needs the bits of those before it on its machine. */
static const struct {
	const char *name;
	unsigned cpu;
} level[] = {
	{ "scalar", 0 },
	{ "avx2", K3_CPU_AVX2 },
	{ "avx512", K3_CPU_AVX2 | K3_CPU_AVX512 },
	{ "neon", K3_CPU_NEON },
};

#define NLEVEL (sizeof(level) / sizeof(level[0]))

unsigned
k3_cpu_best(void)
{
	return k3_cpu_detect();
}

int
k3_cpu_parse(const char *name, unsigned *cpu, struct k3_err *err)
{
	for (size_t i = 0; i < NLEVEL; i++) {
		if (strcmp(name, level[i].name) != 0)
			continue;
		if ((level[i].cpu & ~k3_cpu_detect()) != 0)
			return k3_fail(err, EX_UNAVAILABLE,
			    "cannot use CPU level '%s': this CPU has %s", name,
			    k3_cpu_name(k3_cpu_detect()));
		*cpu = level[i].cpu;
		return 0;
	}
	return k3_fail(err, EX_USAGE,
	    "no CPU level '%s': there are scalar, avx2, avx512, neon", name);
}

bool
k3_cpu_plain(unsigned cpu)
{
	return (cpu & (K3_CPU_AVX2 | K3_CPU_NEON)) == 0;
}

const char *
k3_cpu_name(unsigned cpu)
{
	size_t best = 0;

	for (size_t i = 1; i < NLEVEL; i++)
		if ((level[i].cpu & ~cpu) == 0)
			best = i;
	return level[best].name;
}
