/*
 * skeleton.c - the released checkpoint at full scale: speed, memory, reads
 *
 * skeleton.py writes all 96 shards with their real headers and holes for data
 * (133 MB on disk).  Speed is judged by CPU time, as machines have other work,
 * and only of optimised builds without sanitizers.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/st.h"
#include "tests/tap.h"

/* Bytes of all shards, and of the tensors in them. */
#define ALL_BYTES    1560936091448u
#define TENSOR_BYTES 1560860324864u
#define EXPERT_BYTES 17547264u

static const char script[] = "../shared/data/skeleton.py";
static struct k3_cfg cfg;

static bool
judged(void)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||     \
    __has_feature(undefined_behavior_sanitizer)
	return false;
#endif
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__) ||                 \
    defined(__SANITIZE_THREAD__)
	return false;
#else
	return true;
#endif
}

/* A number of /proc/self/FILE, after 'key'; 0 where there is none. */
static unsigned long
proc(const char *path, const char *key)
{
	char line[256];
	unsigned long v = 0;
	FILE *fp = fopen(path, "r");

	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			v = strtoul(line + strlen(key), NULL, 10);
	if (fp != NULL)
		fclose(fp);
	return v;
}

/* Bytes that this process has read, of whatever file. */
static unsigned long
bytes_read(void)
{
	return proc("/proc/self/io", "rchar:");
}

static double
cpu(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Is each expert one run of bytes, its parts in order? */
static bool
adjacent(const struct k3_st *st)
{
	for (unsigned l = cfg.ndense; l < cfg.nlayer; l++)
		for (unsigned e = 0; e < cfg.experts; e++) {
			struct k3_loc loc = k3_st_part(st, l, e, K3_P_W1);
			uint64_t end = loc.off;

			for (unsigned p = 0; p < K3_NPART; p++) {
				loc = k3_st_part(st, l, e, (enum k3_part)p);
				if (loc.off != end)
					return false;
				end += loc.len;
			}
			loc = k3_st_part(st, l, e, K3_P_W1);
			if (end - loc.off != EXPERT_BYTES || loc.off == 0)
				return false;
		}
	return true;
}

static void
check_reads(unsigned long got, uint64_t want)
{
	if (got == 0)
		skip("indexing reads headers only", "no /proc/self/io");
	/* Asking for the count is a read as well, of a few hundred bytes. */
	else if (!ok(got >= want && got < want + 4096,
		     "indexing reads headers and index only"))
		diag("%lu bytes, want %lu", got, (unsigned long)want);
}

static void
check(const char *dir, bool index)
{
	const char *how = index ? "with index" : "without index";
	char path[128];
	struct k3_err err = { .msg = "" };
	struct k3_st *st;
	struct stat sb = { .st_size = 0 };
	unsigned long before = bytes_read(), got;
	double start = cpu(), used;

	st = k3_st_open(dir, &cfg, &err);
	used = cpu() - start;
	got = bytes_read() - before;
	if (!ok(st != NULL, "the released checkpoint, %s %s", how, err.msg))
		return;
	ok(k3_st_nfile(st) == 96 && k3_st_count(st) == 497220 &&
		k3_st_bytes(st) == ALL_BYTES,
	    "96 shards, 497,220 tensors, 1,560,936,091,448 bytes");
	ok(adjacent(st), "an expert's parts stand together");
	snprintf(path, sizeof(path), "%s/model.safetensors.index.json", dir);
	if (index && stat(path, &sb) != 0)
		abort();
	check_reads(got, ALL_BYTES - TENSOR_BYTES + (uint64_t)sb.st_size);
	diag("%.3f s of CPU time, %zu bytes kept, %lu kB at the peak", used,
	    k3_st_memory(st), proc("/proc/self/status", "VmHWM:"));
	if (judged()) {
		ok(used < 0.5, "indexed in under 0.5 s, %s", how);
		ok(proc("/proc/self/status", "VmHWM:") < 200 * 1024,
		    "and 200 MB");
	}
	k3_st_close(st);
}

int
main(void)
{
	char dir[] = "/tmp/k3-skeleton-XXXXXX", cmd[256];
	struct k3_err err;

	if (access(script, R_OK) != 0 ||
	    system("python3 -c '' 2>/dev/null") != 0) {
		skip("the released checkpoint's headers",
		    "no python3 or no ../shared/data/skeleton.py");
		return tap_done();
	}
	if (mkdtemp(dir) == NULL)
		return 1;
	snprintf(cmd, sizeof(cmd), "python3 %s %s >/dev/null", script, dir);
	if (ok(system(cmd) == 0 && k3_cfg_load(&cfg, dir, &err) == 0,
		"the skeleton is written")) {
		check(dir, true);
		snprintf(cmd, sizeof(cmd), "%s/model.safetensors.index.json",
		    dir);
		unlink(cmd);
		check(dir, false);
	}
	snprintf(cmd, sizeof(cmd), "rm -rf %s", dir);
	return system(cmd) != 0 || tap_done();
}
