/*
 * arm/init.c - AArch64 CPU detection and the choice of NEON variants
 */
#include <sys/auxv.h>

#include <asm/hwcap.h>

#include "kernels/impl.h"

unsigned
k3_cpu_detect(void)
{
	return (getauxval(AT_HWCAP) & HWCAP_ASIMD) != 0 ? K3_CPU_NEON : 0;
}

/* No slot has a NEON variant: the definitions run. */
void
k3_kern_init_arm(struct k3_kern *kern, unsigned cpu)
{
	(void)kern;
	(void)cpu;
}
