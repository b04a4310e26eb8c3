/*
 * sthead.c - the header of a safetensors file, tensor by tensor
 */
#include <inttypes.h>
#include <string.h>

#include "common/regular.h"
#include "common/sthead.h"

enum {
	DTYPE = 1,
	SHAPE = 2,
	OFFSETS = 4,
	ALL = 7,
};

static int
begin(struct k3_sthead *head, struct k3_scan *scan, uint64_t data)
{
	head->scan = scan;
	head->data = data;
	head->first = true;
	return k3_scan_want(scan, '{') < 0 ? -1 : 0;
}

int
k3_sthead_memory(struct k3_sthead *head, struct k3_scan *scan, const char *name,
    const char *text, size_t len)
{
	k3_scan_memory(scan, name, text, len);
	return begin(head, scan, 0);
}

int
k3_sthead_open(struct k3_sthead *head, struct k3_scan *scan, const char *name,
    int fd, uint64_t size)
{
	uint8_t raw[8];
	uint64_t len = 0;
	int64_t got;

	if ((got = k3_regular_read(fd, raw, sizeof(raw), 0)) < 0)
		return k3_fail_errno(scan->err, EX_IOERR, "cannot read '%s'",
		    name);
	if ((size_t)got < sizeof(raw) || size < sizeof(raw))
		return k3_fail(scan->err, EX_DATAERR,
		    "'%s': %" PRIu64 " bytes are no safetensors file", name,
		    size);
	for (int i = 7; i >= 0; i--)
		len = len << 8 | raw[i];
	if (len > size - sizeof(raw))
		return k3_fail(scan->err, EX_DATAERR,
		    "'%s': a header of %" PRIu64 " bytes in a file of %" PRIu64,
		    name, len, size);
	if (len > K3_STHEAD_MAX)
		return k3_fail(scan->err, EX_DATAERR,
		    "'%s': a header of %" PRIu64 " bytes (want at most %" PRIu64
		    ")",
		    name, len, K3_STHEAD_MAX);
	k3_scan_file(scan, name, fd, sizeof(raw), len);
	return begin(head, scan, sizeof(raw) + len);
}

static void
copy(char *to, size_t room, const struct k3_scan *scan)
{
	size_t n = scan->len < room ? scan->len : room - 1;

	memcpy(to, scan->str, n);
	to[n] = '\0';
}

static int
natural(struct k3_scan *scan, int token, uint64_t *out)
{
	if (token < 0)
		return -1;
	if (token != K3_TOKEN_INT || scan->num < 0)
		return k3_scan_fail(scan, "not a number from 0 up");
	*out = (uint64_t)scan->num;
	return 0;
}

static int
read_shape(struct k3_scan *scan, struct k3_stentry *entry)
{
	bool first = true;
	uint64_t dim = 0;
	int token;

	entry->ndim = 0;
	if (k3_scan_want(scan, '[') < 0)
		return -1;
	while ((token = k3_scan_item(scan, &first)) != 0) {
		if (natural(scan, token, &dim) != 0)
			return -1;
		if (entry->ndim < K3_STHEAD_DIMS)
			entry->dim[entry->ndim] = dim;
		entry->ndim++;
	}
	return 0;
}

static int
read_offsets(struct k3_scan *scan, struct k3_stentry *entry)
{
	if (k3_scan_want(scan, '[') < 0 ||
	    natural(scan, k3_scan_next(scan), &entry->begin) != 0 ||
	    k3_scan_want(scan, ',') < 0 ||
	    natural(scan, k3_scan_next(scan), &entry->end) != 0 ||
	    k3_scan_want(scan, ']') < 0)
		return -1;
	return 0;
}

static bool
is(const struct k3_scan *scan, const char *want, size_t len)
{
	return scan->len == len && memcmp(scan->str, want, len) == 0;
}
#define IS(scan, want) is(scan, want, sizeof(want) - 1)

/* The value at the key just read, if it is one of the three. */
static int
read_field(struct k3_scan *scan, struct k3_stentry *entry, unsigned *seen)
{
	unsigned which = IS(scan, "dtype")          ? DTYPE
			 : IS(scan, "shape")        ? SHAPE
			 : IS(scan, "data_offsets") ? OFFSETS
						    : 0;

	if ((*seen & which) != 0)
		return k3_scan_fail(scan, "tensor '%.80s': a key twice",
		    entry->name);
	*seen |= which;
	switch (which) {
	case DTYPE:
		if (k3_scan_want(scan, K3_TOKEN_STRING) < 0)
			return -1;
		copy(entry->dtype, sizeof(entry->dtype), scan);
		return 0;
	case SHAPE:
		return read_shape(scan, entry);
	case OFFSETS:
		return read_offsets(scan, entry);
	default:
		return k3_scan_skip(scan, k3_scan_next(scan));
	}
}

static int
read_entry(struct k3_scan *scan, struct k3_stentry *entry)
{
	bool first = true;
	unsigned seen = 0;
	int got;

	entry->len = scan->len;
	copy(entry->name, sizeof(entry->name), scan);
	if (k3_scan_want(scan, '{') < 0)
		return -1;
	while ((got = k3_scan_key(scan, &first)) > 0)
		if (read_field(scan, entry, &seen) != 0)
			return -1;
	if (got == 0 && seen != ALL)
		return k3_scan_fail(scan, "tensor '%.80s': no %s", entry->name,
		    (seen & DTYPE) == 0   ? "dtype"
		    : (seen & SHAPE) == 0 ? "shape"
					  : "data_offsets");
	return got < 0 ? -1 : 1;
}

int
k3_sthead_next(struct k3_sthead *head, struct k3_stentry *entry)
{
	struct k3_scan *scan = head->scan;
	int got;

	while ((got = k3_scan_key(scan, &head->first)) > 0) {
		if (!IS(scan, "__metadata__"))
			return read_entry(scan, entry);
		if (k3_scan_want(scan, '{') < 0 || k3_scan_skip(scan, '{') != 0)
			return -1;
	}
	if (got == 0 && k3_scan_want(scan, K3_TOKEN_END) < 0)
		return -1;
	return got;
}
