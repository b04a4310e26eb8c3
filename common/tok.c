/*
 * tok.c - the tokenizer of a model folder
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "common/json.h"
#include "common/regular.h"
#include "common/tok.h"

/* Special IDs after the ranks, where config.json does not tell. */
#define NSPECIAL 256u

/* The released files have 7 and 3 KB. */
#define MAX_FILE ((uint64_t)16 << 20)

static int
join(char path[PATH_MAX], const char *dir, const char *file, struct k3_err *err)
{
	int n = snprintf(path, PATH_MAX, "%s/%s", dir, file);

	if (k3_regular_folder(dir, err) != 0)
		return -1;
	if (n < 0 || n >= PATH_MAX)
		return k3_fail(err, EX_NOINPUT,
		    "cannot open '%.100s...': File name too long", dir);
	return 0;
}

static struct k3_json *
load(const char *path, struct k3_err *err)
{
	struct k3_buf text = { 0 };
	struct k3_json *json = NULL;

	if (k3_regular_load(&text, path, MAX_FILE, err) == 0)
		json = k3_json_parse(text.data, text.len, path, err);
	k3_buf_fini(&text);
	return json;
}

/* The size of the vocabulary, as config.json has it. */
static int
load_size(struct k3_tok *tok, const char *dir, struct k3_err *err)
{
	uint32_t nrank = tok->vocab.n;
	const struct k3_json *value;
	struct k3_json *config;
	char path[PATH_MAX];
	int64_t size = nrank + NSPECIAL;

	if (join(path, dir, "config.json", err) != 0 ||
	    (config = load(path, err)) == NULL)
		return -1;
	value = k3_json_get(k3_json_get(config, "text_config"), "vocab_size");
	if (value != NULL)
		size = k3_json_int(value);
	k3_json_free(config);
	if (size < nrank || size > K3_VOCAB_MAX)
		return k3_fail(err, EX_DATAERR,
		    "'%s' text_config.vocab_size: not a number from %" PRIu32
		    ", the ranks in tiktoken.model, to %u",
		    path, nrank, K3_VOCAB_MAX);
	tok->size = (uint32_t)size;
	return 0;
}

static int
load_special(struct k3_tok *tok, const char *dir, struct k3_err *err)
{
	struct k3_json *config;
	char path[PATH_MAX];
	int status;

	if (join(path, dir, "tokenizer_config.json", err) != 0 ||
	    (config = load(path, err)) == NULL)
		return -1;
	status = k3_special_init(&tok->special, config, path, tok->vocab.n,
	    tok->size - tok->vocab.n, err);
	k3_json_free(config);
	return status;
}

int
k3_tok_open(struct k3_tok *tok, const char *dir, struct k3_err *err)
{
	char path[PATH_MAX];

	*tok = (struct k3_tok){ 0 };
	if (join(path, dir, "tiktoken.model", err) == 0 &&
	    k3_vocab_load(&tok->vocab, path, err) == 0 &&
	    load_size(tok, dir, err) == 0 && load_special(tok, dir, err) == 0)
		return 0;
	k3_tok_close(tok);
	return -1;
}

void
k3_tok_close(struct k3_tok *tok)
{
	k3_vocab_fini(&tok->vocab);
	k3_special_fini(&tok->special);
	*tok = (struct k3_tok){ 0 };
}

bool
k3_tok_special(const struct k3_tok *tok, uint32_t id)
{
	return id >= tok->vocab.n;
}

const char *
k3_tok_bytes(const struct k3_tok *tok, uint32_t id, size_t *len)
{
	if (k3_tok_special(tok, id)) {
		id -= tok->vocab.n;
		*len = tok->special.token[id].len;
		return tok->special.token[id].name;
	}
	*len = tok->vocab.len[id];
	return (const char *)tok->vocab.text + tok->vocab.off[id];
}
