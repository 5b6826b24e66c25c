/* SPDX-License-Identifier: MIT */
/* Slow calls among those that were kept, by function. */
#include "shim/study/suspect.h"

#include "common/segment_series.h"
#include "common/slow/spans.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/patch/modes.h"

#define SPANS_AT_ONCE 64u
#define LEAST_TICKS (clock_tenth_of_second() >> 10) /* 98 us, of a slow call */
#define LEAST_COUNT 2u				    /* the first call is slow often */
#define LEAST_PART 1000u			    /* of the thread's time */

uint64_t suspect_calls(const struct lane_context *context,
		       const struct segment_function *function)
{
	uint32_t number = modes_find(function->key);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		sum += function->histogram[i];
	if (number && context->counts)
		sum += modes_counted(number, context->counts);
	return sum;
}

uint64_t suspect_median(const struct segment_function *function)
{
	uint64_t calls = 0, seen = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		calls += function->histogram[i];
	for (uint32_t i = 0; calls && i < SEGMENT_HISTOGRAM_BUCKETS; i++) {
		seen += function->histogram[i];
		if (seen * 2 >= calls)
			return segment_histogram_lower(i);
	}
	return 0;
}

/* Is a function around the node studied, or its own, for what it computes? */
static int is_covered(const struct lane_context *context, uint32_t node)
{
	for (; node > LANE_ROOT; node = context->nodes[node].parent)
		if (trigger_actions(context->nodes[node].key) &
		    (TRIGGER_STUDY | TRIGGER_COVERS))
			return 1;
	return 0;
}

/* A step is no function's call, but suspect in the same way. */
struct suspect {
	uint64_t key, calls, median_ticks;
	uint32_t index;
};

static uint64_t value_at(uint32_t bucket)
{
	int place = (int)bucket - (int)SEGMENT_SERIES_SIDE - 1;
	int exponent = (place >> 3) + SEGMENT_SERIES_LOWEST_EXPONENT;

	if (place < 0 || exponent < 3)
		return 0;
	return (uint64_t)(8 + (place & 7)) << (exponent - 3);
}

static uint64_t step_median(const struct segment_series *series)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < SEGMENT_SERIES_BUCKETS; i++) {
		seen += series->histogram[i];
		if (seen * 2 >= series->value_count)
			return value_at(i);
	}
	return 0;
}

static struct suspect step_of(const struct lane_context *context, uint32_t index)
{
	const struct segment_series *all =
		arrays_entries(context->lane, &context->lane->series);

	return (struct suspect){.key = LANE_STEP_KEY | index,
				.calls = all[index].value_count,
				.median_ticks = step_median(&all[index]),
				.index = index};
}

static struct suspect function_of(const struct lane_context *context, uint32_t index)
{
	const struct segment_function *from = &context->functions[index];

	return (struct suspect){.key = from->key,
				.calls = suspect_calls(context, from),
				.median_ticks = suspect_median(from),
				.index = index};
}

uint64_t suspect_calls_of(const struct lane_context *context,
			  const struct lane_suspicion *suspicion)
{
	return suspicion->key & LANE_STEP_KEY
		       ? step_of(context, suspicion->index).calls
		       : suspect_calls(context, &context->functions[suspicion->index]);
}

/* Its entry: the one that it has, a free one, or that of the least. */
static struct lane_suspicion *entry_of(struct lane_context *context,
				       const struct suspect *suspect, uint64_t now)
{
	struct lane_suspicion *all = context->suspicions, *found = all;

	for (uint32_t i = 0; i < LANE_SUSPICIONS; i++) {
		if (all[i].key == suspect->key)
			return &all[i];
		if (all[i].slow_ticks < found->slow_ticks)
			found = &all[i];
	}
	*found = (struct lane_suspicion){.key = suspect->key,
					 .index = suspect->index,
					 .begin_ticks = lane_busy_ticks(context, now),
					 .begin_calls = suspect->calls};
	return found;
}

/* Of libc's calls nobody asks what they did. */
static int is_whole(const struct lane_context *context, const struct segment_span *span)
{
	if (span->kind == SEGMENT_SPAN_STEP)
		return span->series < context->lane->series.count;
	return span->kind == SEGMENT_SPAN_CALL && span->node < context->node_next &&
	       !segment_key_is_libc(context->nodes[span->node].key) &&
	       !is_covered(context, span->node);
}

static void note_span(struct lane_context *context, const struct segment_span *span,
		      uint64_t now)
{
	uint64_t ready_ticks = process_ticks_of(span->ready_ns);
	uint64_t own_ticks = span->ticks > ready_ticks ? span->ticks - ready_ticks : 0;
	struct lane_suspicion *entry;
	struct suspect suspect;

	if (own_ticks < LEAST_TICKS || !is_whole(context, span))
		return;
	suspect = span->kind == SEGMENT_SPAN_STEP
			  ? step_of(context, span->series)
			  : function_of(context, context->nodes[span->node].function);
	if (own_ticks / SUSPECT_TIMES < suspect.median_ticks)
		return;
	entry = entry_of(context, &suspect, now);
	entry->slow_count++;
	entry->slow_ticks += own_ticks;
	entry->blocked_ticks += process_ticks_of(span->blocked_ns);
}

void suspect_note_spans(struct lane_context *context, uint64_t now)
{
	const struct segment_span *spans =
		arrays_entries(context->lane, &context->lane->spans);
	uint32_t count = context->lane->spans.count, at = context->study.span_at;

	if (at > count) /* some have been left out meanwhile */
		at = count;
	if (count - at > SPANS_AT_ONCE)
		at = count - SPANS_AT_ONCE;
	for (; at < count; at++)
		note_span(context, &spans[at], now);
	context->study.span_at = count;
}

int suspect_take(struct lane_context *context, uint64_t now, suspect_question may_be,
		 struct lane_suspicion *ret)
{
	struct lane_suspicion *all = context->suspicions, *found = NULL;
	uint64_t least = (now - context->study.begin_ticks) / LEAST_PART;

	for (uint32_t i = 0; i < LANE_SUSPICIONS; i++)
		if (all[i].slow_count >= LEAST_COUNT && all[i].slow_ticks >= least &&
		    (!found || all[i].slow_ticks > found->slow_ticks) &&
		    may_be(context, &all[i], now))
			found = &all[i];
	if (!found)
		return 0;
	*ret = *found;
	for (uint32_t i = 0; i < LANE_SUSPICIONS; i++)
		if (all[i].slow_ticks <= ret->slow_ticks)
			all[i] = (struct lane_suspicion){.key = 0};
	return 1;
}
