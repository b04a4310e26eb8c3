/*
 * verify-names.c - names that were there before
 *
 * A name is kept as its digest, in a table that is at most half full; 0 is a
 * free place, and a digest of 0 is taken for 1.
 */
#include <stdlib.h>
#include <string.h>

#include "common/digest.h"
#include "tools/verify.h"

/* The place of a digest, or the free one where it belongs. */
static uint64_t *
place(const struct verify_names *names, uint64_t digest)
{
	size_t i = digest & (names->size - 1);

	while (names->digest[i] != 0 && names->digest[i] != digest)
		i = (i + 1) & (names->size - 1);
	return &names->digest[i];
}

static void
grow(struct verify *v, struct verify_names *names)
{
	struct verify_names more = { .n = names->n,
		.size = names->size > 0 ? 2 * names->size : 1024 };
	struct k3_err err;

	more.digest = calloc(more.size, sizeof(*more.digest));
	if (more.digest == NULL) {
		k3_fail(&err, EX_OSERR, "cannot allocate 'names'");
		verify_die(v, &err);
	}
	for (size_t i = 0; i < names->size; i++)
		if (names->digest[i] != 0)
			*place(&more, names->digest[i]) = names->digest[i];
	free(names->digest);
	*names = more;
}

bool
verify_names_add(struct verify *v, struct verify_names *names, const char *name)
{
	uint64_t digest = k3_digest64(name, strlen(name)), *p;

	digest += digest == 0;
	if (2 * names->n >= names->size)
		grow(v, names);
	p = place(names, digest);
	if (*p != 0)
		return false;
	*p = digest;
	names->n++;
	return true;
}

void
verify_names_fini(struct verify_names *names)
{
	free(names->digest);
	*names = (struct verify_names){ 0 };
}
