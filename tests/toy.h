/*
 * toy.h - the parts of the toy program, which writes models for the tests
 *
 * A toy is a complete model folder in the released format, made from a seed:
 * the same name and seed give the same bytes on any machine.  A weight is a
 * pure function of seed, tensor name and position, so that the split into
 * files and the order in them change no value.  The parts end the program by
 * err(3) when a file cannot be written.
 */
#ifndef K3_TESTS_TOY_H
#define K3_TESTS_TOY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/tensors.h"

enum toy_order {
	TOY_RELEASED, /* F32, BF16, U8, and by name inside each */
	TOY_NAME,
	TOY_SHUFFLED, /* and the header in another order than the data */
};

#define TOY_A_LAYER 0 /* shards: as released, one a layer and three more */

struct toy {
	const char *name, *about;
	struct k3_cfg cfg; /* kda_width is filled in by toy_find() */
	uint64_t seed;
	unsigned nspecial; /* ids at the end of the vocabulary */
	unsigned shards;
	enum toy_order order;
	bool index; /* write model.safetensors.index.json */
	bool mixed; /* store every third dense tensor in the other dtype */
};

/* The toy of that name, or with that number; false if there is none. */
bool toy_find(const char *name, struct toy *out);
bool toy_at(unsigned number, struct toy *out);

/* Write the toy into a folder, which may exist. */
void toy_write(const struct toy *toy, const char *dir);

/* A tensor to write. */
struct toy_tensor {
	char name[K3_NAME_MAX];
	enum toy_kind {
		TOY_TRUNK, /* t, layer */
		TOY_PART,  /* part, layer, expert */
		TOY_OTHER, /* not of the text model: to be ignored */
	} kind;
	struct k3_named id;
	const char *dtype;
	struct k3_shape shape;
	uint64_t off, len; /* bytes, in its shard's data */
	uint64_t order;    /* sort key, before the name */
	unsigned shard;
};

/* toy-list.c: all tensors of a toy, in no special order; free() them. */
struct toy_tensor *toy_tensors(const struct toy *toy, size_t *n);

/* toy-weights.c: write the tensor's 'len' bytes. */
void toy_weights(const struct toy *toy, const struct toy_tensor *t, FILE *f);

/* A number that 'seed' and 'name' determine. */
uint64_t toy_hash(uint64_t seed, const char *name);

/* toy-shards.c: write the safetensors files and their index. */
void toy_shards(const struct toy *toy, const char *dir);

/* toy-text.c: write config.json, tiktoken.model, tokenizer_config.json. */
void toy_text(const struct toy *toy, const char *dir);

/* toy-folder.c: create DIR/NAME, and close it; they return on success only. */
FILE *toy_create(const char *dir, const char *name);
void toy_close(FILE *f, const char *name);

#endif
