/*
 * trace-report-memory.c - rules about memory, for trace-report-advise.c
 */
#include <string.h>

#include "tools/trace-report-advise.h"
#include "tools/trace-text.h"

/* What memory is worth moving for: this share of what a pass reads. */
#define WORTH 0.05

/* Pinned trunk saves its size in each pass: a cache may save less. */
bool
trace_rule_division(struct trace_look *k)
{
	const struct k3_run_plan *plan = &k->run->plan;
	double cache = (double)plan->cache;
	double most = (double)plan->trunk_bytes_a_pass;
	double move = cache < most ? cache : most;
	double gain = move - move * trace_ratio(k->saved, cache);
	double reads =
	    (k->part->trunk_bytes + k->part->expert_bytes) / k->part->passes;
	char size[TRACE_TEXT], saves[TRACE_TEXT], moved[TRACE_TEXT];

	if (!k->s->full || gain <= WORTH * reads)
		return false;
	return trace_say(k,
	    "The cache's %s save %s a pass, and as pinned trunk they would "
	    "save their size: move %s from --cache-ram to --trunk-ram.",
	    trace_bytes(size, cache), trace_bytes(saves, k->saved),
	    trace_bytes(moved, move));
}

bool
trace_rule_trunk(struct trace_look *k)
{
	const struct k3_run_plan *plan = &k->run->plan;
	const struct k3_run_seconds *t = &k->part->seconds;
	char most[TRACE_TEXT], gain[TRACE_TEXT];

	if (!k->capped || plan->trunk_bytes_a_pass == 0 ||
	    (t->trunk_wait < t->expert_wait && k->saved >= (double)plan->cache))
		return false;
	return trace_say(k,
	    "Waiting for reads takes %.0f %% of the time, and the trunk's %s "
	    "are read in each pass: where memory is free, use a larger "
	    "--trunk-ram; each GB saves up to %s s a pass.",
	    trace_part_percent(k, k->wait),
	    trace_bytes(most, (double)plan->trunk_bytes_a_pass),
	    trace_seconds(gain, trace_ratio(1e9, k->rate)));
}

bool
trace_rule_cache(struct trace_look *k)
{
	const struct trace_sum *p = k->part;
	char all[TRACE_TEXT];

	if (!k->capped || !k->s->full)
		return false;
	return trace_say(k,
	    "Waiting for reads takes %.0f %% of the time, and %.0f %% of the "
	    "experts were in the cache: where memory is free, use a larger "
	    "--cache-ram. All experts are %s.",
	    trace_part_percent(k, k->wait),
	    100 * trace_share(p->hits, p->demands),
	    trace_bytes(all, (double)k->run->model.all_expert_bytes));
}

bool
trace_rule_first(struct trace_look *k)
{
	if (k->s->full || k->run->plan.trunk_bytes_a_pass > 0)
		return false;
	return trace_say(k,
	    "Nothing: all that was read are experts that were used "
	    "for the first time, which a longer run gets over.");
}

/* Words may be cut short where they stay clear. */
bool
trace_caps(const char *arg)
{
	static const struct {
		const char *word;
		size_t least;
	} words[] = { { "--cache-ram", 4 }, { "--preset", 4 }, { "--ram", 4 },
		{ "--trunk-ram", 8 } };
	size_t n = strcspn(arg, "=");

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (n >= words[i].least && n <= strlen(words[i].word) &&
		    strncmp(arg, words[i].word, n) == 0)
			return true;
	if (arg[0] != '-')
		return false;
	/* Letters without a value may stand before. */
	arg += 1 + strspn(arg + 1, "ehqv");
	return *arg == 'p' || *arg == 'r';
}
