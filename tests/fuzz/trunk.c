/*
 * trunk.c - any bytes as a file of a packed trunk
 *
 * What is ready for a pass has its tensors where the pass looks for them.  Of
 * which layer it is, the file itself says.
 */
#include "common/pack.h"
#include "tests/layer-forge.h"
#include "tests/shards.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t print[K3_DIGEST128];
static char dir[] = "/tmp/k3-fuzz-XXXXXX", path[64];
static struct k3_cfg cfg;

static void
cleanup(void)
{
	unlink(path);
	rmdir(dir);
}

static void
ready(const struct k3_layer *l, unsigned layer)
{
	uint64_t off[K3_NTENSOR];
	uint8_t dtype[K3_NTENSOR] = { 0 };
	struct k3_shape shape;
	uint32_t n = 0;

	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (k3_tensor_shape(&cfg, layer, (enum k3_tensor)t, &shape))
			dtype[t] = (uint8_t)l->tensor[n++].dtype;
	if (n != l->ntensor || k3_layout(&cfg, layer, dtype, off) != l->len)
		abort();
	n = 0;
	for (unsigned t = 0; t < K3_NTENSOR; t++)
		if (k3_tensor_shape(&cfg, layer, (enum k3_tensor)t, &shape) &&
		    (off[t] != l->tensor[n].off ||
			k3_shape_count(&shape) *
				(dtype[t] == K3_F32 ? 4u : 2u) !=
			    l->tensor[n++].len))
			abort();
}

static void
look(const uint8_t *data, size_t size)
{
	unsigned layer =
	    size < K3_FORM_HEAD ? 0 : k3_le_get32(data + 16) % (cfg.nlayer + 1);
	char name[K3_PACK_NAME];
	struct k3_layer *l = NULL;
	struct k3_err err = { .msg = "" };
	enum k3_pack_state state;
	FILE *fp;

	k3_pack_name(&cfg, layer, name);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	fp = fopen(path, "wb");
	if (fp == NULL || fwrite(data, 1, size, fp) != size || fclose(fp) != 0)
		abort();
	state = k3_pack_look(dir, &cfg, layer, print, &l, &err);
	if ((state == K3_PACK_READY) != (l != NULL) ||
	    (l == NULL && *err.msg == '\0') || state == K3_PACK_MISSING ||
	    state == K3_PACK_FAILED)
		abort();
	if (l != NULL)
		ready(l, layer);
	k3_layer_close(l);
	unlink(path);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy;

	if (cfg.nlayer == 0) {
		shards_config(&cfg);
		cfg.nlayer = 2;
		if (mkdtemp(dir) == NULL)
			abort();
		atexit(cleanup);
	}
	look(data, size);
	if (size == 0 || (copy = malloc(size)) == NULL)
		return 0;
	memcpy(copy, data, size);
	forge(copy, size);
	look(copy, size);
	free(copy);
	return 0;
}
