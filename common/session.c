/*
 * session.c - the tensors of a session, as k3-session(5) describes them
 */
#include <stdio.h>
#include <string.h>

#include "common/scratch.h"
#include "common/sessionimpl.h"

/* In the order in which they stand in the tensor. */
enum {
	N_LINE_LOW,
	N_LINE_HIGH,
	N_IDS,
	N_POSITION,
	N_PROMPT,
	N_COUNT,
	N_OUTPUT,
	N_ROWS,
	N_HALF,
};

static uint32_t
latent_layers(const struct k3_cfg *cfg)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < cfg->nlayer; i++)
		n += cfg->mla[i];
	return n;
}

uint32_t
k3_session_ntensor(const struct k3_cfg *cfg)
{
	uint32_t mla = latent_layers(cfg);

	return K3_SESSION_LAYERS + mla + 2 * (cfg->nlayer - mla);
}

uint32_t
k3_session_block(const struct k3_cfg *cfg)
{
	return latent_layers(cfg) > 0 ? K3_SESSION_BLOCK : 0;
}

/*
 * The writer's tensors and digests, or the reader's; and a block.  A digest's
 * state has 600 bytes.
 */
uint64_t
k3_session_memory(const struct k3_cfg *cfg)
{
	uint64_t row = (uint64_t)(cfg->kv_lora + cfg->rope) * sizeof(float);
	uint64_t each = 3 * sizeof(struct k3_layer_tensor) + 1024;

	return ((uint64_t)16 << 10) + k3_session_ntensor(cfg) * each +
	       (uint64_t)latent_layers(cfg) * K3_SESSION_BLOCK * row;
}

static void
tensor(struct k3_layer_tensor *t, const char *name, enum k3_dtype dtype,
    unsigned ndim, uint64_t a, uint64_t b, uint64_t c)
{
	memset(t, 0, sizeof(*t));
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->dtype = dtype;
	t->ndim = ndim;
	t->dim[0] = a;
	t->dim[1] = b;
	t->dim[2] = c;
}

/* One or two of a layer: how many. */
static unsigned
layer(const struct k3_cfg *cfg, unsigned i, struct k3_layer_tensor *t)
{
	char name[K3_LAYER_NAME];

	if (cfg->mla[i]) {
		snprintf(name, sizeof(name), "layers.%u.latents", i);
		tensor(t, name, K3_F32, 2, 0, cfg->kv_lora + cfg->rope, 0);
		t->grows = true;
		return 1;
	}
	snprintf(name, sizeof(name), "layers.%u.kda", i);
	tensor(&t[0], name, K3_F32, 3, cfg->kda_heads, cfg->kda_dim,
	    cfg->kda_dim);
	snprintf(name, sizeof(name), "layers.%u.conv", i);
	tensor(&t[1], name, K3_F32, 3, 3, K3_CONV_TAPS - 1, cfg->kda_width);
	return 2;
}

void
k3_session_table(const struct k3_cfg *cfg, const struct k3_session *s,
    struct k3_layer_tensor *t)
{
	bool chosen = s->position < s->n || s->n == 0;

	tensor(&t[K3_SESSION_NUMBERS], "numbers", K3_U32, 1, K3_SESSION_NNUMBER,
	    0, 0);
	tensor(&t[K3_SESSION_SAMPLER], "sampler", K3_U32, 1,
	    K3_SESSION_NSAMPLER, 0, 0);
	tensor(&t[K3_SESSION_IDS], "ids", K3_U32, 1, s->n, 0, 0);
	tensor(&t[K3_SESSION_LOGITS], "logits", K3_F32, 1,
	    chosen ? 0 : cfg->vocab, 0, 0);
	tensor(&t[K3_SESSION_PREFIX], "prefix", K3_F32, 2, s->rows, cfg->hidden,
	    0);
	tensor(&t[K3_SESSION_SNAPSHOTS], "snapshots", K3_F32, 3,
	    k3_snapshots_after(cfg, s->half), s->rows, cfg->hidden);
	t += K3_SESSION_LAYERS;
	for (unsigned i = 0; i < cfg->nlayer; i++)
		t += layer(cfg, i, t);
}

void
k3_session_put_numbers(const struct k3_session *s,
    uint32_t number[K3_SESSION_NNUMBER])
{
	number[N_LINE_LOW] = (uint32_t)s->line;
	number[N_LINE_HIGH] = (uint32_t)(s->line >> 32);
	number[N_IDS] = s->n;
	number[N_POSITION] = s->position;
	number[N_PROMPT] = s->prompt;
	number[N_COUNT] = s->count;
	number[N_OUTPUT] = s->output;
	number[N_ROWS] = s->rows;
	number[N_HALF] = s->half;
}

/* The last ID that was chosen may wait for a position that there is not. */
static const char *
wrong(const struct k3_cfg *cfg, const struct k3_session *s)
{
	if (s->n > (uint64_t)cfg->max_pos + 1)
		return "more IDs than a sequence can have";
	if (s->position > s->n || s->position > cfg->max_pos)
		return "more IDs are consumed than there are";
	if (s->prompt > s->n || (s->prompt == 0) != (s->n == 0))
		return "the prompt is longer than all IDs, or empty";
	if (s->n - s->prompt > s->count)
		return "more IDs are generated than were to be";
	if (s->n > s->prompt && s->n - s->position > 1)
		return "IDs are generated, and the one before is not consumed";
	if (s->rows > s->n - s->position ||
	    s->rows > cfg->max_pos - s->position)
		return "a pass has more IDs than are left";
	if (s->half > 2 * cfg->nlayer || (s->half == 0) != (s->rows == 0))
		return "a pass is in work in no layer";
	if (s->output == K3_SESSION_ENDED && s->rows > 0)
		return "a pass is in work in a line that was ended";
	return NULL;
}

const char *
k3_session_get_numbers(const struct k3_cfg *cfg,
    const uint32_t number[K3_SESSION_NNUMBER], struct k3_session *s)
{
	s->line = number[N_LINE_LOW] | (uint64_t)number[N_LINE_HIGH] << 32;
	s->n = number[N_IDS];
	s->position = number[N_POSITION];
	s->prompt = number[N_PROMPT];
	s->count = number[N_COUNT];
	s->rows = number[N_ROWS];
	s->half = number[N_HALF];
	if (number[N_OUTPUT] >= K3_SESSION_NOUTPUT)
		return "its output is neither begun nor ended";
	s->output = (enum k3_session_output)number[N_OUTPUT];
	return wrong(cfg, s);
}

bool
k3_session_passed(const struct k3_session *s, unsigned i)
{
	return s->half > 2 * i;
}
