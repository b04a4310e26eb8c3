/*
 * trace-report-advise.c - the one thing to change next
 *
 * The rules are those of k3-trace-report(1), in its order: the first that
 * applies is told.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "tools/trace-report-advise.h"
#include "tools/trace-text.h"

/* Fewer reads in flight than this leave an NVMe drive idle. */
#define LOW_DEPTH 4

bool
trace_say(struct trace_look *k, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(k->text, sizeof(k->text), fmt, ap);
	va_end(ap);
	return true;
}

double
trace_part_percent(const struct trace_look *k, double seconds)
{
	return 100 * trace_share(seconds, k->part->seconds.wall);
}

static bool
empty(struct trace_look *k)
{
	if (k->part->seconds.wall > 0)
		return false;
	return trace_say(k, "Nothing: no pass was made that took any time.");
}

static bool
peak(struct trace_look *k)
{
	const struct k3_run *run = k->run;
	char over[TRACE_TEXT];

	if (run->peak_bytes <= run->plan.total)
		return false;
	trace_bytes(over, (double)run->peak_bytes - (double)run->plan.total);
	return trace_say(k,
	    "Memory went over its plan by %s, which must not happen: please "
	    "report it, and meanwhile set --ram lower by as much.",
	    over);
}

static bool
start(struct trace_look *k)
{
	const struct k3_run_seconds *all = &k->run->total.seconds;

	if (all->other < 0.5 * all->wall)
		return false;
	return trace_say(k,
	    "Nothing yet: %.0f %% of the run was spent outside of passes. "
	    "Judge a longer one (-n), or feed it several prompts.",
	    100 * trace_share(all->other, all->wall));
}

static bool
computes(const struct trace_look *k)
{
	return k->part->seconds.compute > k->wait;
}

static bool
scalar(struct trace_look *k)
{
	if (!computes(k) || strcmp(k->run->cpu, "scalar") != 0)
		return false;
	return trace_say(k,
	    "Computing takes %.0f %% of the time, in plain C: drop --cpu scalar "
	    "or use a machine with avx2 or neon, which is many times as fast.",
	    trace_part_percent(k, k->part->seconds.compute));
}

static bool
threads(struct trace_look *k)
{
	if (!computes(k))
		return false;
	return trace_say(k,
	    "Computing takes %.0f %% of the time, by %" PRIu64
	    " thread%s at level %s: use more of them (-j), a core each, or a "
	    "CPU of a higher level. Memory and disk are not what binds.",
	    trace_part_percent(k, k->part->seconds.compute), k->run->threads,
	    k->run->threads == 1 ? "" : "s", k->run->cpu);
}

static bool
engine(struct trace_look *k)
{
	if (strcmp(k->run->io, "pread") != 0)
		return false;
	return trace_say(k,
	    "Waiting for reads takes %.0f %% of the time, by threads (pread): "
	    "use --io aio, where the system has it.",
	    trace_part_percent(k, k->wait));
}

/* Each pass of a prompt reads what streams anew. */
static bool
chunk(struct trace_look *k)
{
	const struct trace_sum *p = k->part;
	char each[TRACE_TEXT];

	if (p != &k->s->prompt || p->passes <= k->s->sequences)
		return false;
	trace_bytes(each, (p->trunk_bytes + p->expert_bytes) / p->passes);
	return trace_say(k,
	    "Prompts took %.0f passes for %.0f sequence%s, and each read %s: "
	    "use a --chunk larger than %" PRIu64
	    ", with more --ram if that does not fit.",
	    p->passes, k->s->sequences, k->s->sequences == 1 ? "" : "s", each,
	    k->run->plan.chunk);
}

static bool
guesses(struct trace_look *k)
{
	const struct k3_run_counters *c = &k->run->total.counters;

	if (c->guessed_wrong <= c->guessed_right)
		return false;
	return trace_say(k,
	    "Of the experts that were read on a guess %.0f %% were not wanted, "
	    "and took the disk's time: use a smaller --lookahead, or 0.",
	    100 * trace_share((double)c->guessed_wrong,
		      (double)c->guessed_wrong + (double)c->guessed_right));
}

static bool
depth(struct trace_look *k)
{
	bool trunk =
	    k->part->seconds.trunk_wait >= k->part->seconds.expert_wait;
	bool ring = trunk && k->run->plan.trunk_bytes_a_pass > 0;

	if (k->part->depth >= LOW_DEPTH || k->part->busy == 0)
		return false;
	return trace_say(k,
	    "Only %.1f reads were in flight on average, too few for NVMe: %s.",
	    k->part->depth,
	    ring ? "a larger --trunk-ram reads further ahead"
		 : "--lookahead 8 asks for experts earlier");
}

static bool
idle(struct trace_look *k)
{
	const struct k3_run_counters *c = &k->run->total.counters;
	const struct trace_sum *p = k->part;
	double busy = trace_share(p->busy, p->seconds.wall);

	if (p->seconds.expert_wait <= p->seconds.trunk_wait || busy >= 0.7 ||
	    c->guessed_right > 0)
		return false;
	return trace_say(k,
	    "Waiting for experts takes %.0f %% of the time, and the disk has "
	    "nothing to do in %.0f %% of it: try --lookahead 8.",
	    trace_part_percent(k, p->seconds.expert_wait), 100 - 100 * busy);
}

static bool
nothing(struct trace_look *k)
{
	const struct trace_sum *p = k->part;

	return trace_say(k,
	    "Nothing: it is as fast as this disk, which read %.3g GB/s for "
	    "%.0f %% of the time, and this memory allow.",
	    k->rate / 1e9, 100 * trace_share(p->busy, p->seconds.wall));
}

/* The last one always applies. */
static const struct {
	const char *name;
	bool (*applies)(struct trace_look *k);
} rules[] = {
	{ "empty", empty },
	{ "peak", peak },
	{ "start", start },
	{ "scalar", scalar },
	{ "threads", threads },
	{ "engine", engine },
	{ "chunk", chunk },
	{ "guesses", guesses },
	{ "depth", depth },
	{ "idle", idle },
	{ "division", trace_rule_division },
	{ "trunk", trace_rule_trunk },
	{ "cache", trace_rule_cache },
	{ "first", trace_rule_first },
	{ "nothing", nothing },
};

void
trace_report_advise(struct trace_advice *a, const struct trace_summary *s)
{
	struct trace_look k = { .s = s, .run = s->run };
	size_t i = 0;

	k.part = s->prompt.seconds.wall > s->generated.seconds.wall
		     ? &s->prompt
		     : &s->generated;
	k.wait = k.part->seconds.trunk_wait + k.part->seconds.expert_wait;
	k.rate = trace_ratio(k.part->read_bytes, k.part->busy);
	k.saved = trace_ratio(k.part->hits, k.part->passes) *
		  (double)s->run->model.expert_bytes;
	/* Without such an option the plan took what memory there was. */
	for (size_t j = 0; j < s->run->nargument; j++)
		k.capped = k.capped || trace_caps(s->run->argument[j]);
	while (!rules[i].applies(&k))
		i++;
	a->rule = rules[i].name;
	memcpy(a->text, k.text, sizeof(a->text));
}
