/*
 * speed.h - how fast a machine reads and computes
 */
#ifndef K3_COMMON_SPEED_H
#define K3_COMMON_SPEED_H

#include <stddef.h>

#include "common/err.h"

/* 0: not known, and then no part of what is predicted. */
struct k3_speed {
	double trunk; /* bytes a second of the disk, in large reads in order */
	double experts; /* and of experts, here and there */
	double memory;  /* bytes of weights a second, for one token */
	double flops;   /* a second, for many */
};

/*
 * Take the disk's rates from what "k3-trace disk --json" wrote; the rest is
 * left as it is.  0, or -1: as k3_json_load(), or EX_DATAERR.
 */
int k3_speed_load(struct k3_speed *speed, const char *path, struct k3_err *err);

/* The same from memory; 'name' is for messages. */
int k3_speed_parse(struct k3_speed *speed, const char *text, size_t len,
    const char *name, struct k3_err *err);

#endif
