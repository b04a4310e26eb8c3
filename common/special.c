/*
 * special.c - the special tokens of a tokenizer
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/special.h"

struct loading {
	struct k3_special *special;
	const char *file;
	struct k3_err *err;
};

static int
set_name(struct k3_special_token *token, const char *name, size_t len,
    struct k3_err *err)
{
	if ((token->name = malloc(len + 1)) == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for special tokens");
	memcpy(token->name, name, len);
	token->name[len] = '\0';
	token->len = (uint32_t)len;
	return 0;
}

/* The ID that a key is, in decimal as one writes it; or UINT32_MAX. */
static uint32_t
key_id(const char *key)
{
	uint64_t v = 0;
	size_t n = strspn(key, "0123456789");

	if (n == 0 || n > 9 || key[n] != '\0' || (key[0] == '0' && n > 1))
		return UINT32_MAX;
	while (*key != '\0')
		v = v * 10 + (uint64_t)(*key++ - '0');
	return (uint32_t)v;
}

static int
add_named(const char *key, const struct k3_json *value, void *arg)
{
	struct loading *l = arg;
	struct k3_special *s = l->special;
	uint32_t id = key_id(key);
	size_t len;
	const char *name = k3_json_string(k3_json_get(value, "content"), &len);

	if (id < s->first || id - s->first >= s->n)
		return k3_fail(l->err, EX_DATAERR,
		    "'%s' added_tokens_decoder: '%.40s' is not an ID from "
		    "%" PRIu32 " to %" PRIu32,
		    l->file, key, s->first, s->first + s->n - 1);
	if (name == NULL || len == 0 || len > K3_SPECIAL_NAME)
		return k3_fail(l->err, EX_DATAERR,
		    "'%s' added_tokens_decoder: ID %" PRIu32
		    " has no content of 1 to %u bytes",
		    l->file, id, K3_SPECIAL_NAME);
	return set_name(&s->token[id - s->first], name, len, l->err);
}

static int
name_reserved(struct k3_special *s, struct k3_err *err)
{
	char name[40];
	int len;

	for (uint32_t i = 0; i < s->n; i++) {
		s->token[i].id = s->first + i;
		if (s->token[i].name != NULL)
			continue;
		len = snprintf(name, sizeof(name),
		    "<|reserved_token_%" PRIu32 "|>", s->first + i);
		if (set_name(&s->token[i], name, (size_t)len, err) != 0)
			return -1;
	}
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct k3_special_token *x = a, *y = b;
	size_t len = x->len < y->len ? x->len : y->len;
	int diff = memcmp(x->name, y->name, len);

	return diff != 0 ? diff : (x->len > y->len) - (x->len < y->len);
}

static int
sort(struct k3_special *s, const char *file, struct k3_err *err)
{
	memcpy(s->order, s->token, s->n * sizeof(*s->order));
	qsort(s->order, s->n, sizeof(*s->order), by_name);
	for (uint32_t i = 0; i < s->n; i++) {
		s->begins[(unsigned char)s->order[i].name[0]] = true;
		if (i > 0 && by_name(&s->order[i - 1], &s->order[i]) == 0)
			return k3_fail(err, EX_DATAERR,
			    "'%s' added_tokens_decoder: IDs %" PRIu32
			    " and %" PRIu32 " are both '%.40s'",
			    file, s->order[i - 1].id, s->order[i].id,
			    s->order[i].name);
	}
	return 0;
}

static int
init(struct k3_special *s, const struct k3_json *config, const char *file,
    struct k3_err *err)
{
	const struct k3_json *added =
	    k3_json_get(config, "added_tokens_decoder");
	struct loading loading = { s, file, err };

	if (added == NULL || k3_json_type(added) != K3_JSON_OBJECT)
		return k3_fail(err, EX_DATAERR,
		    "'%s' added_tokens_decoder: not an object", file);
	if (s->n > K3_SPECIAL_MAX)
		return k3_fail(err, EX_DATAERR,
		    "'%s' added_tokens_decoder: %" PRIu32
		    " special tokens, above %u",
		    file, s->n, K3_SPECIAL_MAX);
	/* One more: no memory for no token is no error. */
	s->token = calloc(s->n + 1, sizeof(*s->token));
	s->order = calloc(s->n + 1, sizeof(*s->order));
	if (s->token == NULL || s->order == NULL)
		return k3_fail(err, EX_OSERR,
		    "cannot allocate memory for special tokens");
	if (k3_json_each(added, add_named, &loading) != 0 ||
	    name_reserved(s, err) != 0)
		return -1;
	return sort(s, file, err);
}

int
k3_special_init(struct k3_special *special, const struct k3_json *config,
    const char *file, uint32_t first, uint32_t n, struct k3_err *err)
{
	*special = (struct k3_special){ .first = first, .n = n };
	if (init(special, config, file, err) == 0)
		return 0;
	k3_special_fini(special);
	return -1;
}

void
k3_special_fini(struct k3_special *special)
{
	if (special->token != NULL)
		for (uint32_t i = 0; i < special->n; i++)
			free(special->token[i].name);
	free(special->token);
	free(special->order);
	*special = (struct k3_special){ 0 };
}

/* The first name of lo..hi-1 whose byte 'd' is not below 'c'. */
static size_t
bound(const struct k3_special *s, size_t lo, size_t hi, size_t d, unsigned c)
{
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if ((unsigned char)s->order[mid].name[d] < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* All names from lo to hi - 1 begin with the first 'd' bytes of the text. */
size_t
k3_special_find(const struct k3_special *special, const char *text, size_t len,
    uint32_t *id)
{
	const struct k3_special *s = special;
	size_t lo = 0, hi = s->n, best = 0;

	if (!s->begins[(unsigned char)text[0]])
		return 0;
	for (size_t d = 0; lo < hi; d++) {
		unsigned c;

		/* The one that ends here is the first in order. */
		if (s->order[lo].len == d) {
			best = d;
			*id = s->order[lo++].id;
		}
		if (d == len)
			break;
		c = (unsigned char)text[d];
		lo = bound(s, lo, hi, d, c);
		hi = bound(s, lo, hi, d, c + 1);
	}
	return best;
}
