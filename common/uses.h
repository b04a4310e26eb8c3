/*
 * uses.h - how a model uses its experts: what a stream of routes comes to
 *
 * k3-trace-stat(1) defines the figures.  Prefill and decode are counted apart.
 * Memory goes by layers times experts, however long the stream is, and is taken
 * for a layer when it has a line.
 */
#ifndef K3_COMMON_USES_H
#define K3_COMMON_USES_H

#include <stddef.h>

#include "common/distance.h"
#include "common/routes.h"

/* The last token is known of so many sequences with consecutive numbers. */
#define K3_USES_SEQUENCES 256

struct k3_uses_layer {
	uint64_t lines;   /* one for each token */
	uint64_t demands; /* experts of a pass, each once */
	uint64_t pairs;   /* lines of which the token before is known */
	uint64_t again;   /* experts of those that it had picked too */
	uint64_t guesses; /* lines with a guess */
	uint64_t guessed; /* experts in it */
	uint64_t right;   /* of them picked */
	uint64_t *picks;  /* [experts]: lines that have it; NULL if no lines */
};

struct k3_uses_kind {
	uint64_t passes;
	uint64_t tokens;    /* the most lines that a layer has, of all passes */
	uint64_t first;     /* demands of what was never demanded before */
	uint64_t *distance; /* [ndistance]: demands with this distance */
	size_t ndistance;
	struct k3_uses_layer *layer; /* [layers] */
};

struct k3_uses {
	struct k3_routes_shape shape;
	struct k3_uses_kind prefill, decode;

	/* The rest is its own: the visit of a layer in a pass. */
	struct k3_distance *distance;
	struct k3_uses_last **last; /* [layers][K3_USES_SEQUENCES] */
	struct k3_uses_kind *kind;  /* of the pass; NULL before the first */
	uint64_t pass, lines, most; /* of the visit; the most of a visit */
	uint32_t layer;
	uint64_t *wanted; /* [experts / 64]: a bit each */
};

int k3_uses_init(struct k3_uses *u, const struct k3_routes_shape *shape,
    struct k3_err *err);
void k3_uses_fini(struct k3_uses *u); /* also of one that is all zero */

/*
 * Count a line, of a stream whose order was checked.  'guess', if not NULL, is
 * what was guessed for it: 'n' experts that rise.
 */
int k3_uses_add(struct k3_uses *u, const struct k3_route *route,
    const struct k3_route *guess, struct k3_err *err);

/* No line comes after the last: now all counts are right. */
int k3_uses_end(struct k3_uses *u, struct k3_err *err);

/* Parts of all experts whose cover is looked at: 1/16, 1/4, 1/2. */
#define K3_USES_COVERS 3

/* Of a layer, or of all that have lines.  NAN is what there is not. */
struct k3_uses_figures {
	uint64_t layers, lines, demands, pairs, guesses, used;
	double reuse, recall;          /* shares of picks */
	double entropy, entropy_share; /* bits, means of layers */
	double cover[K3_USES_COVERS];  /* by the experts used most */
	double precision, guessed;     /* of a guess: its recall */
};

/* Those of layers from 'first' to below 'end'.  0, or -1 with EX_OSERR. */
int k3_uses_figures(const struct k3_uses *u, const struct k3_uses_kind *kind,
    uint32_t first, uint32_t end, struct k3_uses_figures *f,
    struct k3_err *err);

/*
 * The distance that at least 'q' of four quarters of all demands but the first
 * ones do not exceed, or -1 if there is none.
 */
int64_t k3_uses_quartile(const struct k3_uses_kind *kind, unsigned q);

struct k3_uses_hot {
	uint64_t picks;
	uint32_t layer, expert;
};

/*
 * The '*n' experts of all layers that have the most picks, as far as there are
 * any, which '*n' then tells; in falling order, equal ones by layer and expert.
 * The caller frees '*list'.
 */
int k3_uses_hottest(const struct k3_uses *u, const struct k3_uses_kind *kind,
    size_t *n, struct k3_uses_hot **list, struct k3_err *err);

#endif
