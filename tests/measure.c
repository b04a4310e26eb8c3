/*
 * measure.c - what is measured of this machine could be true
 */
#include "common/clock.h"
#include "common/cpu.h"
#include "common/measure.h"
#include "common/mem.h"
#include "common/par.h"
#include "tests/tap.h"

int
main(void)
{
	struct k3_speed speed = { .trunk = 1, .experts = 2 };
	struct k3_err err = { .msg = "" };
	double start = k3_clock(), took;

	ok(k3_measure(&speed, k3_par_default(), k3_cpu_best(), &err) == 0,
	    "products are measured %s", err.msg);
	took = k3_clock() - start;
	/* From an emulated CPU to one with 16 channels of memory. */
	ok(speed.memory > 1e6 && speed.memory < 4e12, "%.3g GB/s",
	    speed.memory / 1e9);
	ok(speed.flops > 1e6 && speed.flops < 1e15, "%.3g GFLOP/s",
	    speed.flops / 1e9);
	/* A weight of two bytes takes two operations for one token. */
	ok(speed.flops > speed.memory / 2,
	    "many tokens are not slower than one by one");
	ok(speed.trunk == 1 && speed.experts == 2, "the disk is left alone");
	diag("%.2f s, %.0f MB", took, (double)k3_mem_peak() / 1e6);
	ok(k3_mem_peak() < (uint64_t)256 << 20, "in under 256 MB");
	return tap_done();
}
