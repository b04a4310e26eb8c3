/*
 * sums.c - lists of files with their SHA-256
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/sums.h"

#define LINE 2048

/* Its value, or 16. */
static unsigned
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

static size_t
hex_length(const char *s)
{
	size_t n = 0;

	while (hex_digit(s[n]) < 16)
		n++;
	return n;
}

/* The digest at *s, if it is one of SHA-256; taken off, of whatever kind. */
static bool
take_digest(const char **s, struct k3_sum *sum)
{
	size_t n = hex_length(*s);

	if (n == 0 && **s == '-')
		n = 1;
	sum->has_digest = n == 2 * (size_t)K3_SHA256;
	for (size_t i = 0; sum->has_digest && i < K3_SHA256; i++)
		sum->digest[i] = (uint8_t)(hex_digit((*s)[2 * i]) << 4 |
					   hex_digit((*s)[2 * i + 1]));
	*s += n;
	return n > 0;
}

static bool
take_size(const char **s, struct k3_sum *sum)
{
	size_t n = strspn(*s, "0123456789");

	sum->has_size = true;
	sum->size = strtoull(*s, NULL, 10);
	*s += n;
	return n > 0 && n < 19 && *(*s)++ == '\t';
}

/* Not empty, and no part of it leads elsewhere. */
static bool
good_name(const char *name)
{
	for (const char *p = name;; p++) {
		size_t n = strcspn(p, "/");

		if (n == 0 || (n == 1 && p[0] == '.') ||
		    (n == 2 && p[0] == '.' && p[1] == '.'))
			return false;
		p += n;
		if (*p == '\0')
			break;
	}
	for (; *name != '\0'; name++)
		if ((unsigned char)*name < ' ' || *name == 0x7f ||
		    *name == '\\')
			return false;
	return true;
}

/* NULL, or what is wrong with the line. */
static const char *
parse(const char *s, struct k3_sum *sum)
{
	if (!take_digest(&s, sum))
		return "not a digest and a name";
	if (*s == '\t') {
		s++;
		if (!take_size(&s, sum))
			return "not a digest, a size and a name";
	} else if (s[0] == ' ' && (s[1] == ' ' || s[1] == '*')) {
		s += 2;
		if (!sum->has_digest)
			return "a digest that is not of SHA-256";
		if (s[0] == '.' && s[1] == '/')
			s += 2;
	} else {
		return "not a digest and a name";
	}
	if (!good_name(s))
		return "a name that is empty, or leads out of the folder";
	sum->name = strdup(s);
	return NULL;
}

static int
add(struct k3_sums *sums, const char *line, const char *name, uint64_t number,
    struct k3_err *err)
{
	struct k3_sum sum = { 0 }, *more;
	const char *wrong = parse(line, &sum);

	if (wrong == NULL && sums->n == K3_SUMS_MAX)
		wrong = "too many files";
	if (wrong != NULL) {
		free(sum.name);
		return k3_fail(err, EX_DATAERR, "'%s' line %" PRIu64 ": %s",
		    name, number, wrong);
	}
	if (sum.name != NULL && sums->n == sums->cap) {
		more = realloc(sums->sum,
		    (2 * sums->cap + 64) * sizeof(*sums->sum));
		if (more != NULL) {
			sums->sum = more;
			sums->cap = 2 * sums->cap + 64;
		}
	}
	if (sum.name == NULL || sums->n == sums->cap) {
		free(sum.name);
		return k3_fail(err, EX_OSERR, "cannot read '%s': out of memory",
		    name);
	}
	sums->sum[sums->n++] = sum;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct k3_sum *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* In the order of names, of which none may occur twice. */
static int
sort(struct k3_sums *sums, const char *name, struct k3_err *err)
{
	if (sums->n == 0)
		return k3_fail(err, EX_DATAERR, "'%s': it lists no file", name);
	qsort(sums->sum, sums->n, sizeof(*sums->sum), by_name);
	for (size_t i = 1; i < sums->n; i++)
		if (by_name(&sums->sum[i - 1], &sums->sum[i]) == 0)
			return k3_fail(err, EX_DATAERR,
			    "'%s': it lists '%s' twice", name,
			    sums->sum[i].name);
	return 0;
}

int
k3_sums_read(struct k3_sums *sums, FILE *fp, const char *name,
    struct k3_err *err)
{
	char line[LINE];

	*sums = (struct k3_sums){ 0 };
	for (uint64_t number = 1; fgets(line, sizeof(line), fp); number++) {
		size_t n = strlen(line);

		if (n > 0 && line[n - 1] == '\n')
			line[--n] = '\0';
		else if (!feof(fp))
			return k3_fail(err, EX_DATAERR,
			    "'%s' line %" PRIu64 ": it is too long, or has a "
			    "NUL byte",
			    name, number);
		if (n > 0 && line[n - 1] == '\r')
			line[--n] = '\0';
		if (line[0] == '#' || (n == 0 && feof(fp)))
			continue;
		if (add(sums, line, name, number, err) != 0)
			return -1;
	}
	if (ferror(fp))
		return k3_fail_errno(err, EX_IOERR, "cannot read '%s'", name);
	return sort(sums, name, err);
}

void
k3_sums_fini(struct k3_sums *sums)
{
	for (size_t i = 0; i < sums->n; i++)
		free(sums->sum[i].name);
	free(sums->sum);
	*sums = (struct k3_sums){ 0 };
}
