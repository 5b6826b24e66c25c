/* SPDX-License-Identifier: MIT */
/* Tails in histograms, and functions under suspicion. */
#include "shim/study/study.h"

#include "common/segment_series.h"
#include "common/segment_slow.h"
#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/functions.h"
#include "shim/lane/ways.h"
#include "shim/patch/modes.h"

/*
 * Functions, regions and steps that are slow now and then, as the calls tell that were
 * kept for that (shim/lane/spans.h): of each it is known what it waited for a CPU, so a
 * busy machine makes nobody suspect. Runs on: the lane's thread, exits that look.
 *
 * A call counts that took SUSPECT_TIMES as long as half of its function's calls, 0.1 ms
 * or longer, and is in no call of a function that is studied for what it computes: that
 * one has it as a part.
 */

#define SUSPECT_TIMES 8u

/* The one with the longest slow calls, which is the outermost of those around them, that
 * may_be() says may be studied; two of them, and a thousandth of the thread's time, at
 * least. It is forgotten, and so are those of lesser time: they may lie below it. 0:
 * there is none. */
typedef int (*suspect_question)(const struct lane_context *context,
				const struct lane_suspicion *suspicion, uint64_t now);

/* Did it wait in its slow calls, more than it computed? */
static inline int suspect_waits(const struct lane_suspicion *suspicion)
{
	return suspicion->blocked_ticks > suspicion->slow_ticks / 2;
}

#define SPANS_AT_ONCE 64u
#define SLOW_TICKS (clock_tenth_of_second() >> 10) /* 98 us, of a slow call */
#define LEAST_COUNT 2u				   /* the first call is slow often */
#define LEAST_PART 1000u			   /* of the thread's time */

/* All calls of a function in the lane, those included that were only counted. */
static uint64_t suspect_calls(const struct lane_context *context,
			      const struct segment_function *function)
{
	uint32_t number = modes_find(function->key);
	uint64_t sum = lane_timed_calls(function);

	if (number && context->counts)
		sum += modes_counted(number, context->counts);
	return sum;
}

/* Half of its calls that were timed are as short, or shorter. 0: there are none. */
static uint64_t suspect_median(const struct segment_function *function)
{
	uint64_t calls = lane_timed_calls(function);

	return calls ? segment_histogram_lower(lane_median_bucket(function, calls)) : 0;
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

/* All calls, or steps, until now. */
static uint64_t suspect_calls_of(const struct lane_context *context,
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

	if (own_ticks < SLOW_TICKS || !is_whole(context, span))
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

/* The calls that were kept since it was asked last: the latest 64 of them. */
static void suspect_note_spans(struct lane_context *context, uint64_t now)
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

static int suspect_take(struct lane_context *context, uint64_t now,
			suspect_question may_be, struct lane_suspicion *ret)
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

#define FUNCTIONS_AT_ONCE 64u
#define LOOK_TICKS (clock_tenth_of_second() >> 2)
#define LOOK_PART 400u				  /* or looking would take more */
#define LIFE_TICKS (clock_tenth_of_second() >> 1) /* of a thread, before */
#define SLOW_BUCKETS (3u * 8)			  /* 8 times as long */
#define SLOW_PART 20u
/* What a call of a studied function costs, in pairs of hooks: 0.2 us where those are 28
 * ns. Together they may take a quarter of the budget, without one 2.5 % of the time. */
#define CALL_PAIRS 7
#define SHARE_OF_BUDGET 0.25
#define SHARE_MOST 0.025

static int is_finding;
/* Under the process lock; read without. */
static struct {
	uint32_t count, loose_count;
	double share; /* of the time, what they cost in the thread that found them */
} found;

void choose_begin(void)
{
	is_finding = 1;
}

/* The ticks of calls that took 8 times as long as half of them do. */
static uint64_t slow_ticks(const struct segment_function *function)
{
	uint32_t i = segment_histogram_bucket(suspect_median(function)) + 1;
	uint64_t ticks = 0;

	for (i += SLOW_BUCKETS; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		ticks += function->histogram[i] * segment_histogram_lower(i);
	return ticks;
}

static uint64_t ready_ticks(const struct lane_context *context)
{
	return process_ticks_of(context->off_cpu.ready_ns -
				context->study.begin_ready_ns);
}

/* Of the thread's time, what it costs to study a function of so many calls. */
static double share_of(uint64_t calls, uint64_t ticks)
{
	double pair_ticks =
		process_facts.run->inner_cost_ticks + process_facts.run->outer_cost_ticks;

	return ticks ? (double)calls * pair_ticks * CALL_PAIRS / (double)ticks : 1;
}

static double share_most(void)
{
	double percent = process_facts.run->overhead_percent;

	return percent > 0 ? percent / 100 * SHARE_OF_BUDGET : SHARE_MOST;
}

static int is_affordable(double share)
{
	return found.share + share <= share_most();
}

/* What is chosen: a function, or a step of this thread. */
struct choice {
	uint64_t key;
	uint32_t index; /* of the step's series */
	int is_loose;	/* no reason to leave out what it calls */
	double share;
};

/* The marks of a step come to the slow path from now on. */
static int study_step(struct lane_context *context, uint32_t index)
{
	context->series_studies[index] = SEGMENT_STUDY_FOUND;
	for (uint32_t i = 0; i < LANE_SERIES_MEMOS; i++)
		if (context->series_memos[i].number == index + 1)
			context->series_memos[i].number = 0;
	return 1;
}

static int study_function(const struct choice *choice)
{
	const struct trigger trigger = {.function = choice->key,
					.actions = choice->is_loose ? TRIGGER_FOUND
								    : TRIGGER_CHOSEN};

	return !trigger_find(choice->key) && trigger_add(&trigger);
}

/* What nobody has named: its time was seen to have a tail. */
static void study(struct lane_context *context, const struct choice *choice)
{
	int is_step = (choice->key & LANE_STEP_KEY) != 0;
	uint32_t number = is_step ? 0 : modes_find(choice->key);
	uint64_t mask;

	if (!process_try_lock(&mask)) /* it will be slow again */
		return;
	if (found.count < CHOOSE_MOST &&
	    (is_step ? study_step(context, choice->index) : study_function(choice))) {
		found.count++;
		found.loose_count += (uint32_t)choice->is_loose;
		found.share += choice->share;
	}
	process_unlock(&mask);
	/* With triggers nobody has it counted again. Without the room for that in its
	 * code its calls come by the hook now and then: then so many are studied. */
	if (number && modes_recording(number) != SEGMENT_RECORDING_EXACT)
		modes_set(choice->key, SEGMENT_RECORDING_EXACT, SEGMENT_REASON_BUDGET);
	if (!is_step)
		context->study.trigger_count = 0;
}

#define NODES_SEARCHED 65536u

/* Are most of its calls made in others of it? They last from nothing to the whole, which
 * is no reason to look at one, and each would be known only as a part of the outermost.
 */
static int is_recursion(const struct lane_context *context, uint64_t key)
{
	uint32_t end = context->node_next;
	uint64_t inner = 0, all = 0;

	if (end > NODES_SEARCHED)
		end = NODES_SEARCHED;
	for (uint32_t i = LANE_ROOT + 1; i < end; i++) {
		const struct segment_node *node = &context->nodes[i];
		uint32_t outer = node->parent;

		if (node->key != key)
			continue;
		while (outer > LANE_ROOT && context->nodes[outer].key != key)
			outer = context->nodes[outer].parent;
		all += node->call_count;
		inner += outer > LANE_ROOT ? node->call_count : 0;
	}
	return inner * 2 > all;
}

/* A program has phases, and what was called little when it was chosen may be called most
 * of the time. What it has told until now stays. */
static void drop_costly(const struct lane_context *context, uint64_t now)
{
	uint64_t busy_ticks =
		lane_busy_ticks(context, now) - context->study.begin_busy_ticks;
	uint64_t mask;

	for (uint32_t i = 1; i < context->lane->functions.count; i++) {
		const struct segment_function *function = &context->functions[i];

		if (trigger_actions(function->key) & TRIGGER_FOUND &&
		    share_of(suspect_calls(context, function), busy_ticks) >
			    2 * share_most() &&
		    process_try_lock(&mask)) {
			trigger_drop(function->key);
			process_unlock(&mask);
		}
	}
}

/* Of code that is mapped, or a region: whose ends come to the hooks. */
static int can_be_studied(uint64_t key)
{
	return key && !(key & ~SEGMENT_KEY_ADDRESS_MASK) && !segment_key_is_libc(key) &&
	       !trigger_find(key);
}

static int is_wanted(uint64_t key, int is_loose)
{
	uint32_t number = modes_find(key);

	return (!is_loose || found.loose_count < CHOOSE_LOOSE) && can_be_studied(key) &&
	       !(number && modes_recording(number) == SEGMENT_RECORDING_OFF);
}

/* A program has phases: what it was called until now counts for an eighth, what it has
 * been since it was noted as it is. */
#define BEFORE_PART 8

static double suspicion_share(const struct lane_context *context,
			      const struct lane_suspicion *suspicion, uint64_t now)
{
	uint64_t calls = suspect_calls_of(context, suspicion);
	uint64_t busy_ticks = lane_busy_ticks(context, now);
	double before = share_of(calls / BEFORE_PART,
				 busy_ticks - context->study.begin_busy_ticks);
	double since = share_of(calls - suspicion->begin_calls,
				busy_ticks - suspicion->begin_ticks + 1);

	return before > since ? before : since;
}

static int is_wanted_step(const struct lane_context *context, uint32_t index,
			  int is_loose)
{
	return (!is_loose || found.loose_count < CHOOSE_LOOSE) &&
	       !context->series_studies[index];
}

static int may_be_studied(const struct lane_context *context,
			  const struct lane_suspicion *suspicion, uint64_t now)
{
	int is_loose = suspect_waits(suspicion), is_step;

	is_step = (suspicion->key & LANE_STEP_KEY) != 0;
	if (is_step ? !is_wanted_step(context, suspicion->index, is_loose)
		    : !is_wanted(suspicion->key, is_loose))
		return 0;
	return is_affordable(suspicion_share(context, suspicion, now)) &&
	       (is_step || !is_recursion(context, suspicion->key));
}

/* Of those that were slow now and then, the one that matters most. */
static void find_suspect(struct lane_context *context, uint64_t now)
{
	struct lane_suspicion suspicion;

	suspect_note_spans(context, now);
	if (suspect_take(context, now, may_be_studied, &suspicion))
		study(context,
		      &(struct choice){suspicion.key, suspicion.index,
				       suspect_waits(&suspicion),
				       suspicion_share(context, &suspicion, now)});
}

static void look_at(struct lane_context *context, const struct segment_function *function,
		    uint64_t now)
{
	uint64_t life = now - context->study.begin_ticks, calls;
	double share;

	if (!is_wanted(function->key, 1))
		return;
	calls = suspect_calls(context, function);
	share = share_of(calls,
			 lane_busy_ticks(context, now) - context->study.begin_busy_ticks);
	if (calls >= CHOOSE_CALLS && is_affordable(share) &&
	    slow_ticks(function) >= life / SLOW_PART + ready_ticks(context) &&
	    !is_recursion(context, function->key))
		study(context, &(struct choice){function->key, 0, 1, share});
}

/* Those whose slow calls are not rare, some at a time. */
static void find_tails(struct lane_context *context, uint64_t now)
{
	struct lane_study *state = &context->study;
	uint32_t count = context->lane->functions.count;

	for (uint32_t i = 0; i < FUNCTIONS_AT_ONCE && i < count; i++) {
		if (state->function_at >= count)
			state->function_at = 1;
		look_at(context, &context->functions[state->function_at++], now);
	}
}

/* The next calls of functions that have become studied come to the slow path. */
static void forget_fronts(struct lane_context *context)
{
	context->study.trigger_count = trigger_count;
	ways_forget_front(context, 0);
	ways_forget(context, 0);
}

void cold choose_look(struct lane_context *context, uint64_t now)
{
	struct lane_study *state = &context->study;

	if (!state->begin_ticks) {
		state->begin_ticks = now;
		state->begin_busy_ticks = lane_busy_ticks(context, now);
		state->begin_ready_ns = context->off_cpu.ready_ns;
		state->next_look_ticks = now + LIFE_TICKS;
		state->next_busy_ticks = 0;
	}
	if (is_finding && now >= state->next_look_ticks &&
	    lane_busy_ticks(context, now) >= state->next_busy_ticks) {
		if (found.count < CHOOSE_MOST) {
			find_suspect(context, now);
			find_tails(context, now);
		}
		if (found.count)
			drop_costly(context, now);
		state->next_look_ticks = now + LOOK_TICKS;
		/* what it took, and of what is computed no more than that */
		state->next_busy_ticks =
			lane_busy_ticks(context, now) + LOOK_PART * (clock_now() - now);
	}
	if (state->trigger_count != trigger_count)
		forget_fronts(context);
}
