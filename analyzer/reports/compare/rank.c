/* SPDX-License-Identifier: MIT */
/*
 * The order of the rows of a comparison, how many of them are shown, and what is said of
 * the others. Must not know a single table.
 *
 * The share of a subject is the largest of its shares in time, allocations and bytes:
 * |difference| over what the larger side has in all. So a function that began to allocate
 * stands above one whose time varied by a little. A difference in time that is not larger
 * than its error is none, nor is one between a time that was measured and an estimate.
 */
#include "analyzer/reports/compare/rows.h"

#include "analyzer/model/units.h"

#include <math.h>

/* In a single pair counts are certain and times are not: a machine that stood still for a
 * moment put a function with nothing changed above one with 20 times the allocations. */
#define PAIR_TIME_WEIGHT 0.5

int compare_largest_first(const void *left, const void *right)
{
	const struct compare_ranked *a = left, *b = right;

	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->share != b->share)
		return a->share < b->share ? 1 : -1;
	return (a->number > b->number) - (a->number < b->number);
}

static double run_scale(const struct compare_state *state, enum run_metric metric)
{
	return fmax(state->run_changes[metric].before, state->run_changes[metric].after);
}

static double share_of(const struct compare_state *state,
		       const struct compare_series *series, uint32_t subject,
		       size_t metric, enum run_metric scale)
{
	struct change change = compare_means(state, series, subject, metric);
	double all = run_scale(state, scale);

	return all > 0 ? fabs(compare_known_difference(&change)) / all : 0;
}

/* How long it was ready is the doing of others, as a rule. */
static double share_of_time(const struct compare_state *state,
			    const struct compare_series *series, uint32_t subject)
{
	if (!compare_has_cpu(state))
		return share_of(state, series, subject, COMPARE_self_ns, RUN_SELF);
	return fmax(share_of(state, series, subject, COMPARE_self_cpu_ns, RUN_CPU),
		    share_of(state, series, subject, COMPARE_self_blocked_ns, RUN_SELF));
}

/* The largest share in time (when the subject has it), allocations and bytes. */
double compare_share(const struct compare_state *state,
		     const struct compare_series *series, uint32_t subject)
{
	bool is_function = series == &state->comparison.function_values;
	bool is_site = series == &state->comparison.site_values;
	double count = share_of(state, series, subject,
				is_function ? COMPARE_OWN_COUNT
				: is_site   ? (size_t)COMPARE_SITE_alloc_count
					    : COMPARE_alloc_count,
				RUN_ALLOC_COUNT);
	double bytes = share_of(state, series, subject,
				is_function ? COMPARE_OWN_BYTES
				: is_site   ? (size_t)COMPARE_SITE_alloc_bytes
					    : COMPARE_alloc_bytes,
				RUN_ALLOC_BYTES);
	double time = 0;

	if (!is_site && (!is_function || compare_is_judged(state, subject)))
		time = share_of_time(state, series, subject);
	if (compare_is_pair(state))
		time *= PAIR_TIME_WEIGHT;
	return fmax(fmax(count, bytes), time);
}

static bool has_moved(const struct change *change)
{
	return change->outcome == OUTCOME_REGRESSED ||
	       change->outcome == OUTCOME_IMPROVED;
}

static bool is_same(const struct compare_state *state,
		    const struct compare_series *series, uint32_t subject, size_t metric)
{
	struct change change = compare_means(state, series, subject, metric);

	return change.before == change.after;
}

static enum compare_kind kind_of(const struct compare_state *state,
				 const struct compare_series *series, uint32_t subject,
				 const struct compare_judged *judged, double share)
{
	bool is_function = series == &state->comparison.function_values;

	if (!is_same(state, series, subject, COMPARE_calls) ||
	    !is_same(state, series, subject,
		     is_function ? (size_t)COMPARE_OWN_COUNT : COMPARE_alloc_count) ||
	    !is_same(state, series, subject,
		     is_function ? (size_t)COMPARE_OWN_BYTES : COMPARE_alloc_bytes))
		return COMPARE_CHANGED;
	if (judged && compare_main(state, judged)->outcome == OUTCOME_UNCHANGED &&
	    !has_moved(&judged->ready) && !has_moved(&judged->blocked))
		return COMPARE_UNCHANGED;
	if (share > 0)
		return COMPARE_CHANGED;
	return is_same(state, series, subject, compare_main_metric(state))
		       ? COMPARE_UNCHANGED
		       : COMPARE_BLURRED;
}

struct compare_ranked compare_rank(const struct compare_state *state,
				   const struct compare_series *series, uint32_t subject,
				   const struct compare_judged *judged)
{
	double share = compare_share(state, series, subject);

	return (struct compare_ranked){subject, share,
				       kind_of(state, series, subject, judged, share)};
}

/* "31 unchanged, 2 within their errors" of what is not shown. */
static void put_kinds(struct strbuf *footer, const size_t *counts)
{
	static const char *const words[] = {
		[COMPARE_BLURRED] = "within their errors",
		[COMPARE_UNCHANGED] = "unchanged",
	};
	const char *sign = footer->size ? "; " : "";

	for (size_t i = COMPARE_KINDS; i-- > COMPARE_BLURRED;) {
		if (!counts[i])
			continue;
		strbuf_puts(footer, sign);
		units_count(footer, (int64_t)counts[i]);
		strbuf_printf(footer, " %s", words[i]);
		sign = ", ";
	}
}

size_t compare_to_show(const struct compare_state *state,
		       const struct compare_ranked *ranked, size_t count, size_t limit)
{
	size_t changed = 0;

	if (!limit || state->input->options->machine)
		return compare_at_most(count, limit);
	while (changed < count && ranked[changed].kind == COMPARE_CHANGED)
		changed++;
	return compare_at_most(changed, limit);
}

void compare_put_footer(struct compare_state *state, struct section *section,
			const struct compare_ranked *ranked, size_t shown, size_t all,
			const char *noun, double shown_share, const char *what)
{
	size_t left_out[COMPARE_KINDS] = {0};
	struct strbuf footer = {0};

	section->total_row_count = all;
	if (shown == all)
		return;
	for (size_t i = shown; i < all; i++)
		left_out[ranked[i].kind]++;
	if (left_out[COMPARE_CHANGED]) {
		units_count(&footer, (int64_t)shown);
		strbuf_puts(&footer, " of ");
		units_counted(&footer, (int64_t)(shown + left_out[COMPARE_CHANGED]),
			      noun);
		strbuf_puts(&footer, " shown");
		if (what) {
			strbuf_puts(&footer, ", with ");
			units_percent(&footer, 100 * shown_share);
			strbuf_printf(&footer, " of all changes in %s", what);
		}
	}
	put_kinds(&footer, left_out);
	strbuf_puts(&footer, "; --limit 0 shows all");
	section->footer = doc_copy(state->doc, strbuf_text(&footer));
	strbuf_free(&footer);
}

/* The part of all changes of a metric that the first rows have, sizes added up. */
double compare_explained(const struct compare_state *state,
			 const struct compare_series *series,
			 const struct compare_ranked *ranked, size_t count, size_t shown,
			 size_t metric)
{
	double all = 0, part = 0;

	for (size_t i = 0; i < count; i++) {
		struct change change =
			compare_means(state, series, ranked[i].number, metric);

		all += fabs(compare_known_difference(&change));
		part += i < shown ? fabs(compare_known_difference(&change)) : 0;
	}
	return all > 0 ? part / all : 1;
}

size_t compare_at_most(size_t count, size_t limit)
{
	return limit && limit < count ? limit : count;
}
