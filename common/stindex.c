/*
 * stindex.c - model.safetensors.index.json, entry by entry
 */
#include <string.h>

#include "common/stindex.h"

static int
begin(struct k3_stindex *index, struct k3_scan *scan)
{
	index->scan = scan;
	index->first = true;
	index->in_map = index->seen = false;
	return k3_scan_want(scan, '{') < 0 ? -1 : 0;
}

int
k3_stindex_open(struct k3_stindex *index, struct k3_scan *scan,
    const char *name, int fd, uint64_t size)
{
	k3_scan_file(scan, name, fd, 0, size);
	return begin(index, scan);
}

int
k3_stindex_memory(struct k3_stindex *index, struct k3_scan *scan,
    const char *name, const char *text, size_t len)
{
	k3_scan_memory(scan, name, text, len);
	return begin(index, scan);
}

static size_t
copy(char to[K3_STINDEX_NAME], const struct k3_scan *scan)
{
	size_t n =
	    scan->len < K3_STINDEX_NAME ? scan->len : K3_STINDEX_NAME - 1;

	memcpy(to, scan->str, n);
	to[n] = '\0';
	return scan->len;
}

/* Go on to the inside of weight_map: 1, or 0 at the end of the document. */
static int
find_map(struct k3_stindex *index)
{
	static const char want[] = "weight_map";
	struct k3_scan *scan = index->scan;
	int got;

	while ((got = k3_scan_key(scan, &index->first)) > 0) {
		if (scan->len != sizeof(want) - 1 ||
		    memcmp(scan->str, want, scan->len) != 0) {
			if (k3_scan_skip(scan, k3_scan_next(scan)) != 0)
				return -1;
			continue;
		}
		if (index->seen)
			return k3_scan_fail(scan, "a second weight_map");
		index->seen = index->in_map = index->map_first = true;
		return k3_scan_want(scan, '{') < 0 ? -1 : 1;
	}
	if (got < 0 || k3_scan_want(scan, K3_TOKEN_END) < 0)
		return -1;
	if (!index->seen)
		return k3_scan_fail(scan, "no weight_map");
	return 0;
}

int
k3_stindex_next(struct k3_stindex *index)
{
	struct k3_scan *scan = index->scan;
	int got;

	for (;;) {
		if (!index->in_map && (got = find_map(index)) <= 0)
			return got;
		if ((got = k3_scan_key(scan, &index->map_first)) < 0)
			return -1;
		if (got > 0)
			break;
		index->in_map = false;
	}
	index->len = copy(index->name, scan);
	if (k3_scan_want(scan, K3_TOKEN_STRING) < 0)
		return -1;
	index->file_len = copy(index->file, scan);
	return 1;
}
