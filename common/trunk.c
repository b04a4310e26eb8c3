/*
 * trunk.c - the weights provider: the dense layers in order, and the head
 *
 * Matrices are pieces, in their order of use, which repeats with each pass.
 * A pinned one is read once.  The others go through the ring: each is read
 * into room that was given back, as far ahead of compute as there is room,
 * over the ends of layers and passes, and gives its room back, in the same
 * order, once compute is done with it.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/mem.h"
#include "common/trunkimpl.h"

/* Bytes of pinned matrices that may be on their way at once. */
#define PINS_AHEAD ((uint64_t)256 << 20)

static_assert(sizeof(struct k3_trunk_piece) <= K3_PLAN_PIECE,
    "the plan counts K3_PLAN_PIECE bytes for each piece");

static struct k3_trunk_piece *
add_piece(struct k3_trunk *trunk, unsigned layer, enum k3_tensor t,
    uint64_t row, uint64_t rows, bool pinned)
{
	struct k3_trunk_piece *p = &trunk->piece[trunk->npiece++];

	p->layer = (uint16_t)layer;
	p->t = (uint8_t)t;
	p->pinned = pinned;
	p->row = row;
	p->rows = rows;
	k3_tensor_name(layer, t, p->name);
	return p;
}

/* One tensor's pieces: one, or more of lm_head if it is not pinned. */
static void
add(struct k3_trunk *trunk, unsigned layer, enum k3_tensor t)
{
	struct k3_shape shape;
	bool pinned = k3_plan_pins(trunk->plan, layer, t);
	uint64_t rows;

	if (k3_tensor_small(t) || t == K3_T_EMBED ||
	    (t == K3_T_LM_HEAD && trunk->plan->ask.no_logits) ||
	    !k3_tensor_shape(trunk->cfg, layer, t, &shape))
		return;
	trunk->first[(size_t)layer * K3_NTENSOR + t] = trunk->npiece;
	if (t == K3_T_LM_HEAD)
		trunk->head = trunk->npiece;
	rows =
	    t != K3_T_LM_HEAD || pinned ? shape.dim[0] : trunk->plan->head_rows;
	for (uint64_t row = 0; row < shape.dim[0]; row += rows)
		add_piece(trunk, layer, t, row,
		    rows < shape.dim[0] - row ? rows : shape.dim[0] - row,
		    pinned);
}

static int
make_pieces(struct k3_trunk *trunk, struct k3_err *err)
{
	unsigned n = trunk->cfg->nlayer;
	uint64_t pins = 0;

	trunk->piece = calloc(trunk->plan->npiece, sizeof(*trunk->piece));
	trunk->first =
	    calloc((size_t)(n + 1) * K3_NTENSOR, sizeof(*trunk->first));
	if (trunk->piece == NULL || trunk->first == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': out of memory");
	for (unsigned i = 0; i <= n; i++)
		for (unsigned t = 0; t < K3_NTENSOR; t++)
			add(trunk, i, (enum k3_tensor)t);
	assert(trunk->npiece <= trunk->plan->npiece);
	if (trunk->plan->ask.no_logits)
		trunk->head = trunk->npiece;
	if (trunk->plan->item[K3_PLAN_PINS] > 0) {
		trunk->pins =
		    k3_mem_alloc(trunk->plan->item[K3_PLAN_PINS], "pins", err);
		if (trunk->pins == NULL)
			return -1;
	}
	for (uint32_t i = 0; i < trunk->npiece; i++) {
		struct k3_trunk_piece *p = &trunk->piece[i];

		if (k3_trunk_locate(trunk, p, err) != 0)
			return -1;
		p->room = k3_io_room(p->read.off, p->read.len);
		if (!p->pinned)
			continue;
		p->place = trunk->pins + pins;
		pins += p->room;
		assert(pins <= trunk->plan->item[K3_PLAN_PINS]);
	}
	return 0;
}

struct k3_trunk *
k3_trunk_open(struct k3_shards *shards, const struct k3_plan *plan,
    const char *packed, struct k3_err *err)
{
	struct k3_trunk *trunk = calloc(1, sizeof(*trunk));

	if (trunk == NULL) {
		k3_fail(err, EX_OSERR,
		    "cannot allocate 'trunk': out of memory");
		return NULL;
	}
	trunk->shards = shards;
	trunk->plan = plan;
	trunk->cfg = plan->cfg;
	if ((packed != NULL && k3_trunk_open_files(trunk, packed, err) != 0) ||
	    k3_trunk_load_small(trunk, err) != 0 ||
	    make_pieces(trunk, err) != 0 ||
	    k3_ring_init(&trunk->ring, plan->ring, trunk->npiece, err) != 0)
		goto fail;
	if (plan->ring > 0) {
		trunk->ring_mem = k3_mem_alloc(plan->ring, "ring", err);
		if (trunk->ring_mem == NULL)
			goto fail;
	}
	return trunk;
fail:
	k3_trunk_close(trunk);
	return NULL;
}

/* The queue was closed before: nothing is on its way any more. */
void
k3_trunk_close(struct k3_trunk *trunk)
{
	if (trunk == NULL)
		return;
	k3_trunk_free_small(trunk);
	k3_mem_free(trunk->pins, trunk->plan->item[K3_PLAN_PINS]);
	k3_mem_free(trunk->ring_mem, trunk->plan->ring);
	k3_ring_fini(&trunk->ring);
	k3_trunk_close_files(trunk);
	free(trunk->piece);
	free(trunk->first);
	free(trunk);
}

int
k3_trunk_touch(struct k3_trunk *trunk, struct k3_err *err)
{
	if (k3_mem_touch(trunk->pins, trunk->plan->item[K3_PLAN_PINS], "pins",
		err) != 0)
		return -1;
	return k3_mem_touch(trunk->ring_mem, trunk->plan->ring, "ring", err);
}

static void
start(struct k3_trunk *trunk, struct k3_trunk_piece *p, uint8_t *place)
{
	p->read.dst = place + k3_io_skew(p->read.off);
	p->coming = true;
	trunk->stats.unused += p->read.len;
	k3_io_start(trunk->shards->io, &p->read, false);
}

/* Start the read of the piece that is next; false if there is no room. */
static bool
start_next(struct k3_trunk *trunk, uint64_t *pins)
{
	struct k3_trunk_piece *p = &trunk->piece[trunk->ahead];
	uint64_t off;

	if (p->pinned) {
		if (p->coming)
			return true;
		*pins += p->room;
		if (*pins > p->room && *pins > PINS_AHEAD)
			return false;
		start(trunk, p, p->place);
		return true;
	}
	if (p->coming ||
	    !k3_ring_take(&trunk->ring, trunk->ahead, p->room, &off))
		return false;
	start(trunk, p, trunk->ring_mem + off);
	return true;
}

/*
 * Read ahead as far as there is room.  Whether the next pass wants lm_head is
 * not known before it begins.
 */
static void
fill(struct k3_trunk *trunk)
{
	uint64_t pins = 0;

	for (uint32_t i = 0; i < trunk->npiece; i++) {
		bool head = trunk->ahead >= trunk->head;

		if (head && trunk->beyond)
			return;
		if ((!head || trunk->logits) && !start_next(trunk, &pins))
			return;
		if (++trunk->ahead == trunk->npiece) {
			trunk->ahead = 0;
			trunk->beyond = true;
		}
	}
}

static void
give(struct k3_trunk *trunk, struct k3_trunk_piece *p)
{
	p->used = p->spent = p->coming = p->here = false;
	k3_ring_give(&trunk->ring);
}

/* Room goes back from the oldest piece on, up to the first still to be used. */
static void
release(struct k3_trunk *trunk)
{
	const struct k3_ring_piece *held;

	for (uint32_t i = 0; (held = k3_ring_held(&trunk->ring, i)); i++) {
		struct k3_trunk_piece *p = &trunk->piece[held->tag];

		p->spent |= p->used;
		p->used = false;
	}
	while ((held = k3_ring_held(&trunk->ring, 0)) != NULL &&
	       trunk->piece[held->tag].spent)
		give(trunk, &trunk->piece[held->tag]);
}

void
k3_trunk_done(struct k3_trunk *trunk)
{
	release(trunk);
	fill(trunk);
}

/*
 * Does the ring hold pieces of this pass, which begins with 'first', read
 * ahead, and no others?
 */
static bool
is_ahead(const struct k3_trunk *trunk, uint32_t first)
{
	const struct k3_ring *ring = &trunk->ring;

	while (first < trunk->npiece && trunk->piece[first].pinned)
		first++;
	return !trunk->failed && ring->count > 0 &&
	       k3_ring_held(ring, 0)->tag == first &&
	       (trunk->logits ||
		   k3_ring_held(ring, ring->count - 1)->tag < trunk->head);
}

/*
 * A pass begins.  If the one before was left, the ring holds pieces of that,
 * maybe before those of this one; if it failed, all are suspect.  They are
 * waited for and dropped; a place that the kernel has not given back ends all
 * use of this.
 */
static int
drop(struct k3_trunk *trunk, uint32_t first, struct k3_err *err)
{
	const struct k3_ring_piece *held;

	trunk->ahead = first;
	while ((held = k3_ring_held(&trunk->ring, 0)) != NULL &&
	       !is_ahead(trunk, first)) {
		struct k3_trunk_piece *p = &trunk->piece[held->tag];

		if (k3_io_wait(trunk->shards->io, &p->read, err) != 0 &&
		    p->read.lost)
			return -1;
		give(trunk, p);
	}
	for (uint32_t i = 0; (held = k3_ring_held(&trunk->ring, i)); i++) {
		trunk->piece[held->tag].used = false;
		trunk->piece[held->tag].spent = false;
		trunk->ahead = held->tag + 1;
	}
	trunk->beyond = trunk->ahead == trunk->npiece;
	if (trunk->beyond)
		trunk->ahead = 0;
	trunk->failed = false;
	return 0;
}

/* What was read is of no use: it will be read again, if it can. */
static int
spoil(struct k3_trunk *trunk, struct k3_trunk_piece *p)
{
	trunk->failed = true;
	p->here = false;
	if (p->pinned && !p->read.lost)
		p->coming = false;
	return -1;
}

/* Wait until a piece is there. */
static int
use(struct k3_trunk *trunk, uint32_t i, struct k3_err *err)
{
	struct k3_trunk_piece *p = &trunk->piece[i];
	double begin = k3_clock();

	if (!p->here && !p->coming)
		fill(trunk);
	if (!p->coming && p->pinned)
		start(trunk, p, p->place);
	if (!p->coming)
		return k3_fail(err, EX_SOFTWARE,
		    "the ring has no room for '%s'", p->name);
	p->used = true;
	if (p->here)
		return 0;
	k3_io_urge(trunk->shards->io, &p->read);
	if (k3_io_wait(trunk->shards->io, &p->read, err) != 0)
		return spoil(trunk, p);
	p->here = true;
	trunk->stats.wait += k3_clock() - begin;
	trunk->stats.bytes += p->read.len;
	trunk->stats.unused -= p->read.len;
	if (!p->checked && k3_trunk_check(trunk, p, err) != 0)
		return spoil(trunk, p);
	return 0;
}

/* The first matrix of the half-layer after so many. */
static uint32_t
first_of(const struct k3_trunk *trunk, unsigned half)
{
	unsigned layer = half / 2;
	unsigned t = half % 2 == 0 ? 0 : K3_T_FFN_RES_NORM;
	struct k3_shape shape;

	if (layer == trunk->cfg->nlayer)
		return trunk->head;
	while (k3_tensor_small((enum k3_tensor)t) ||
	       !k3_tensor_shape(trunk->cfg, layer, (enum k3_tensor)t, &shape))
		t++;
	return trunk->first[(size_t)layer * K3_NTENSOR + t];
}

int
k3_trunk_pass(struct k3_trunk *trunk, bool logits, struct k3_err *err)
{
	return k3_trunk_resume(trunk, 0, logits, err);
}

int
k3_trunk_resume(struct k3_trunk *trunk, unsigned half, bool logits,
    struct k3_err *err)
{
	double begin = k3_clock();

	assert(!logits || !trunk->plan->ask.no_logits);
	trunk->logits = logits;
	release(trunk);
	if (drop(trunk, first_of(trunk, half), err) != 0)
		return -1;
	trunk->stats.wait += k3_clock() - begin;
	fill(trunk);
	return 0;
}

void
k3_trunk_begin(struct k3_trunk *trunk, unsigned layer)
{
	trunk->layer = layer;
}

/* The first dimension is rows; a vector is one row. */
static struct k3_weight
weight(const struct k3_shape *shape, enum k3_dtype dtype, const uint8_t *p)
{
	struct k3_weight w = { p, dtype, 1, 0 };

	if (shape->ndim > 1)
		w.rows = shape->dim[0];
	w.n = k3_shape_count(shape) / w.rows;
	return w;
}

int
k3_trunk_need(struct k3_trunk *trunk, enum k3_tensor t, struct k3_weight *w,
    struct k3_err *err)
{
	uint32_t i = trunk->first[(size_t)trunk->layer * K3_NTENSOR + t];
	struct k3_shape shape;
	struct k3_loc loc;

	if (!k3_tensor_shape(trunk->cfg, trunk->layer, t, &shape))
		return k3_fail(err, EX_SOFTWARE, "layer %u has no tensor %d",
		    trunk->layer, (int)t);
	loc = k3_st_tensor(trunk->shards->st, trunk->layer, t);
	*w = weight(&shape, loc.dtype, NULL);
	if (k3_tensor_small(t)) {
		w->p = k3_trunk_small(trunk, trunk->layer, t);
		return 0;
	}
	if (use(trunk, i, err) != 0)
		return -1;
	w->p = trunk->piece[i].read.dst;
	return 0;
}

int
k3_trunk_embed(struct k3_trunk *trunk, uint32_t id, float *y,
    struct k3_err *err)
{
	struct k3_st *st = trunk->shards->st;
	struct k3_loc loc = k3_st_tensor(st, trunk->cfg->nlayer, K3_T_EMBED);
	size_t n = trunk->cfg->hidden;
	uint64_t row = n * k3_dtype_size(loc.dtype);
	uint8_t *raw = (uint8_t *)(y + n) - row;
	char name[K3_NAME_MAX];
	double begin = k3_clock();

	/* The stored row goes to the end of y and is widened from the front. */
	k3_tensor_name(trunk->cfg->nlayer, K3_T_EMBED, name);
	if (k3_st_read(st, loc.file, loc.off + id * row, raw, row, name, err) !=
	    0)
		return -1;
	trunk->stats.wait += k3_clock() - begin;
	trunk->stats.bytes += row;
	if (trunk->shards->digests != NULL &&
	    k3_sidecar_check_row(trunk->shards->digests, st, id, raw, err) != 0)
		return -1;
	k3_widen(y, raw, loc.dtype, n);
	return 0;
}

struct k3_weight
k3_trunk_vector(const struct k3_trunk *trunk, unsigned layer, enum k3_tensor t)
{
	struct k3_shape shape = { 0 };

	k3_tensor_shape(trunk->cfg, layer, t, &shape);
	return weight(&shape, k3_st_tensor(trunk->shards->st, layer, t).dtype,
	    k3_trunk_small(trunk, layer, t));
}

struct k3_weight
k3_trunk_head(const struct k3_trunk *trunk, enum k3_tensor t)
{
	return k3_trunk_vector(trunk, trunk->cfg->nlayer, t);
}

bool
k3_trunk_pinned(struct k3_trunk *trunk, unsigned layer, enum k3_tensor t,
    struct k3_weight *w)
{
	const struct k3_trunk_piece *p =
	    &trunk->piece[trunk->first[(size_t)layer * K3_NTENSOR + t]];
	struct k3_shape shape;

	if (!p->pinned || !p->here ||
	    !k3_tensor_shape(trunk->cfg, layer, t, &shape))
		return false;
	*w = weight(&shape, k3_st_tensor(trunk->shards->st, layer, t).dtype,
	    p->read.dst);
	return true;
}

int
k3_trunk_lm_head(struct k3_trunk *trunk, size_t row, struct k3_weight *w,
    struct k3_err *err)
{
	struct k3_loc loc =
	    k3_st_tensor(trunk->shards->st, trunk->cfg->nlayer, K3_T_LM_HEAD);
	uint32_t i = trunk->head;

	k3_trunk_done(trunk);
	i += (uint32_t)(row / trunk->piece[i].rows);
	if (use(trunk, i, err) != 0)
		return -1;
	w->dtype = loc.dtype;
	w->n = trunk->cfg->hidden;
	w->p = trunk->piece[i].read.dst;
	w->rows = trunk->piece[i].rows;
	return 0;
}

const struct k3_trunk_stats *
k3_trunk_stats(const struct k3_trunk *trunk)
{
	return &trunk->stats;
}
