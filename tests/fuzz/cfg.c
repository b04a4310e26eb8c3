/*
 * cfg.c - any bytes as config.json
 *
 * What is accepted must keep cfg.h's word: later code does not look again.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/cfg.h"
#include "common/tensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
must(bool holds)
{
	if (!holds)
		abort();
}

static void
check(const struct k3_cfg *cfg)
{
	struct k3_shape shape;

	must(cfg->nlayer > 0 && cfg->nlayer <= K3_MAX_LAYERS);
	must(cfg->ndense <= cfg->nlayer);
	must(cfg->topk > 0 && cfg->topk <= cfg->experts);
	must(cfg->eos < cfg->vocab && cfg->bos < cfg->vocab &&
	     cfg->pad < cfg->vocab);
	must(cfg->kda_heads <= cfg->kda_dim &&
	     cfg->kda_width == cfg->kda_heads * cfg->kda_dim);
	must(cfg->moe % K3_MX_GROUP == 0 && cfg->latent % K3_MX_GROUP == 0);
	must(cfg->res_block > 0 && cfg->max_pos > 0);
	must((float)cfg->eps > 0 && isfinite(cfg->eps));
	must(isfinite(cfg->scaling) && cfg->gate_lower < 0);
	for (unsigned layer = 0; layer <= cfg->nlayer; layer++)
		for (unsigned t = 0; t < K3_NTENSOR; t++) {
			if (!k3_tensor_shape(cfg, layer, (enum k3_tensor)t,
				&shape))
				continue;
			for (unsigned i = 0; i < shape.ndim; i++)
				must(shape.dim[i] > 0 &&
				     shape.dim[i] <= K3_MAX_SIZE);
		}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct k3_cfg cfg;
	struct k3_err err = { .msg = "" };

	if (k3_cfg_parse(&cfg, (const char *)data, size, "fuzz", &err) == 0)
		check(&cfg);
	else
		must(err.code == EX_DATAERR && *err.msg != '\0' &&
		     strchr(err.msg, '\n') == NULL);
	return 0;
}
