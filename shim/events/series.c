/* SPDX-License-Identifier: MIT */
/* Adds a value to a series of the calling thread's lane. Runs on: traced threads, any
 * context. Must not call libc or lock. */
#include "shim/events/events.h"

#include "common/segment_series.h"
#include "shim/core/clock.h"
#include "shim/core/name.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"
#include "shim/lane/spans.h"
#include "shim/events/context.h"
#include "shim/study/study.h"
#include "shim/waits/off_cpu.h"

#define compiler_barrier() __asm__ volatile("" : : : "memory")

static struct segment_series *series_at(const struct lane_context *context,
					uint32_t index)
{
	return (struct segment_series *)arrays_entries(context->lane,
						       &context->lane->series) +
	       index;
}

static inline int is_named(const struct segment_series *series, const char *name,
			   uint32_t kind)
{
	return series->kind == kind && name_is(series->name, name, sizeof(series->name));
}

static uint32_t hash_of(const char *name, uint32_t kind)
{
	uint64_t hash = name_hash(NAME_HASH_START + kind, name,
				  sizeof(((struct segment_series *)0)->name));

	return (uint32_t)(hash ^ hash >> 32);
}

/* 1 + its index, or 0: no room. */
static uint32_t add_series(struct lane_context *context, const char *name, uint32_t kind,
			   uint32_t hash)
{
	struct segment_lane *lane = context->lane;
	uint32_t index = lane->series.count;
	struct segment_series *series = series_at(context, index);

	if (process_grow(lane, context->slot, ARRAY_SERIES, index + 1) < 0)
		return 0;
	name_copy(series->name, name, sizeof(series->name));
	series->kind = kind;
	context->series_hashes[index] = hash;
	context->series_studies[index] =
		kind == SEGMENT_SERIES_STEP && upcalls.watch_mark(name)
			? SEGMENT_STUDY_ASKED
			: 0;
	arrays_publish(&lane->series, index + 1);
	return index + 1;
}

static cold uint32_t find_slow(struct lane_context *context, const char *name,
			       uint32_t kind)
{
	uint32_t hash = hash_of(name, kind), count = context->lane->series.count;

	for (uint32_t i = 0; i < count; i++) {
		if (context->series_hashes[i] == hash &&
		    is_named(series_at(context, i), name, kind))
			return i + 1;
	}
	return add_series(context, name, kind, hash);
}

/* Looks by the name's address first, which is usually the same, and compares, since the
 * memory may have changed. Studied series are not remembered by address, so the others
 * need not check for studies. NULL: the series is studied, or there is no room. */
static inline struct segment_series *find_series(struct lane_context *context,
						 const char *name, uint32_t kind)
{
	uint64_t hash = (uintptr_t)name * 0x9e3779b97f4a7c15ull;
	struct series_memo *memo = &context->series_memos[hash >> 58];
	struct segment_series *series;

	if (likely(memo->name == name && memo->number)) {
		series = series_at(context, memo->number - 1);
		if (likely(is_named(series, name, kind)))
			return series;
	}
	memo->number = find_slow(context, name, kind);
	memo->name = name;
	if (memo->number && context->series_studies[memo->number - 1])
		memo->number = 0;
	return memo->number ? series_at(context, memo->number - 1) : NULL;
}

_Static_assert(LANE_SERIES_MEMOS == 1u << 6, "find_series() shifts by 58");

static int64_t live_bytes(void)
{
	const struct segment_process *segment = process->segment;
	/* relaxed: another thread may change both in between */
	uint64_t below = __atomic_load_n(&segment->below_peak, __ATOMIC_RELAXED);
	uint64_t peak = __atomic_load_n(&segment->peak_bytes, __ATOMIC_RELAXED);

	return peak > below ? (int64_t)(peak - below) : 0;
}

static uint32_t least_of(const struct segment_mark *marks, uint32_t count, double sign)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < count; i++)
		if (sign * marks[i].value < sign * marks[least].value)
			least = i;
	return least;
}

/* Puts a mark among the five that are the most extreme in the direction of sign, at
 * *ret_place. Returns the fifth's value. */
static cold double add_extreme(struct segment_mark *marks, uint32_t *count,
			       const struct segment_mark *mark, double sign,
			       uint32_t *ret_place)
{
	int is_full = *count == SEGMENT_SERIES_EXTREMES;

	*ret_place = is_full ? least_of(marks, *count, sign) : *count;
	marks[*ret_place] = *mark;
	compiler_barrier();
	*count += !is_full;
	return marks[least_of(marks, *count, sign)].value;
}

/* All spans are full: joins them in pairs. */
static cold void halve_spans(struct segment_series *series)
{
	struct segment_series_span *spans = series->spans;

	for (uint32_t i = 0; i < SEGMENT_SERIES_SPANS / 2; i++) {
		struct segment_series_span joined = spans[2 * i];
		const struct segment_series_span *second = &spans[2 * i + 1];

		joined.last_ticks = second->last_ticks;
		joined.count += second->count;
		joined.sum += second->sum;
		joined.live_bytes = second->live_bytes;
		joined.ready_ns += second->ready_ns;
		joined.blocked_ns += second->blocked_ns;
		spans[i] = joined;
	}
	for (uint32_t i = SEGMENT_SERIES_SPANS / 2; i < SEGMENT_SERIES_SPANS; i++)
		spans[i] = (struct segment_series_span){.count = 0};
	series->span_shift++;
}

static inline void add_to_span(struct segment_series *series,
			       const struct segment_mark *mark)
{
	struct segment_series_span *span;

	if (unlikely(mark->index >> series->span_shift >= SEGMENT_SERIES_SPANS))
		halve_spans(series);
	span = &series->spans[mark->index >> series->span_shift];
	if (!span->count)
		span->first_ticks = mark->ticks;
	span->last_ticks = mark->ticks;
	span->sum += mark->value;
	span->live_bytes = mark->live_bytes;
	span->ready_ns += mark->ready_ns;
	span->blocked_ns += mark->blocked_ns;
	span->count++;
}

/* Sums the remembered waits since a mark, by path. Returns how many paths. */
static uint32_t find_waits(const struct lane_context *context, uint64_t mark,
			   struct segment_step_wait *ret)
{
	const struct lane_recent_waits *recent = &context->recent_waits;
	uint32_t count = 0;

	for (uint64_t i = recent->count; i && recent->count - i < LANE_RECENT_WAITS;
	     i--) {
		uint64_t at = (i - 1) % LANE_RECENT_WAITS;
		uint32_t place = 0;

		if (recent->all[at].mark < mark)
			break;
		while (place < count && ret[place].node != recent->all[at].node)
			place++;
		if (place == count)
			ret[count++] =
				(struct segment_step_wait){.node = recent->all[at].node};
		ret[place].ready_ns += recent->all[at].ready_ns;
		ret[place].blocked_ns += recent->all[at].blocked_ns;
	}
	return count;
}

static void add_to_all(struct segment_series *series,
		       const struct segment_step_wait *waits, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct segment_step_wait *to = series->waits;
		const struct segment_step_wait *end = to + SEGMENT_SERIES_WAITS;

		while (to < end && to->node && to->node != waits[i].node)
			to++;
		if (to == end)
			continue;
		to->node = waits[i].node;
		to->ready_ns += waits[i].ready_ns;
		to->blocked_ns += waits[i].blocked_ns;
	}
}

/* Takes the longest waits out of the list. */
static void take_longest(struct segment_step_wait *ret, struct segment_step_wait *waits,
			 uint32_t count)
{
	for (uint32_t i = 0; i < SEGMENT_STEP_WAITS; i++) {
		struct segment_step_wait none = {.node = 0}, *longest = &none;

		for (uint32_t j = 0; j < count; j++)
			if (waits[j].ready_ns + waits[j].blocked_ns >
			    longest->ready_ns + longest->blocked_ns)
				longest = &waits[j];
		ret[i] = *longest;
		*longest = none;
	}
}

#define NOT_EXTREME UINT32_MAX

/* Adds the waits since this mark to the step. place: among the highest. */
static cold void add_waits(struct lane_context *context, struct segment_series *series,
			   uint64_t mark, uint32_t place)
{
	struct segment_step_wait waits[LANE_RECENT_WAITS];
	uint32_t count = find_waits(context, mark, waits);

	add_to_all(series, waits, count);
	if (place != NOT_EXTREME)
		take_longest(series->highest_waits[place], waits, count);
}

/* Returns the value's place among the highest, or NOT_EXTREME. */
static inline __attribute__((always_inline)) uint32_t
add_value(struct segment_series *series, struct segment_mark mark)
{
	uint32_t place, highest = NOT_EXTREME;

	mark.index = series->value_count;
	series->window[mark.index % SEGMENT_SERIES_WINDOW] = mark;
	series->sum += mark.value;
	series->histogram[segment_series_bucket(mark.value)]++;
	add_to_span(series, &mark);
	if (unlikely(series->highest_count < SEGMENT_SERIES_EXTREMES ||
		     mark.value > series->fifth_highest))
		series->fifth_highest = add_extreme(
			series->highest, &series->highest_count, &mark, 1, &highest);
	if (unlikely(series->lowest_count < SEGMENT_SERIES_EXTREMES ||
		     mark.value < series->fifth_lowest))
		series->fifth_lowest = add_extreme(series->lowest, &series->lowest_count,
						   &mark, -1, &place);
	/* last: a reader reads the values below this count */
	__atomic_store_n(&series->value_count, mark.index + 1, __ATOMIC_RELEASE);
	return highest;
}

static cold void keep_step(struct lane_context *context,
			   const struct segment_series *series,
			   const struct segment_mark *mark)
{
	uint64_t since = clock_now();

	spans_keep_step(context,
			&(struct segment_span){
				.begin_ticks = series->open_ticks,
				.end_ticks = mark->ticks,
				.ticks = mark->ticks - series->open_ticks,
				.ready_ns = mark->ready_ns,
				.blocked_ns = mark->blocked_ns,
				.series = (uint16_t)(series - series_at(context, 0))});
	off_cpu_leave_out(context, since);
}

/* The step that ends now. */
static inline void __attribute__((always_inline))
add_step(struct lane_context *context, struct segment_series *series, uint64_t now,
	 int64_t live)
{
	const struct lane_off_cpu *off = &context->off_cpu;
	int64_t ticks = (int64_t)(now - series->open_ticks);
	struct segment_mark mark = {
		/* another core's clock may be a little behind */
		.value = (double)(ticks > 0 ? ticks : 0),
		.ticks = now,
		.live_bytes = live,
		.ready_ns = off->ready_ns - series->open_ready_ns,
		.blocked_ns = off->blocked_ns - series->open_blocked_ns,
	};
	uint32_t place = add_value(series, mark);

	series->ready_ns += mark.ready_ns;
	series->blocked_ns += mark.blocked_ns;
	if (unlikely(mark.ready_ns || mark.blocked_ns))
		add_waits(context, series, series->open_mark, place);
	else if (unlikely(place != NOT_EXTREME))
		series->highest_waits[place][0].node = 0;
	if (unlikely(ticks > 0 && (uint64_t)ticks >= context->span_ticks))
		keep_step(context, series, &mark);
}

/* Comes before the value, so that a reader in between, or after a kill, finds no value
 * without a mark. */
static inline void add_mark(struct segment_series *series, uint64_t now, int64_t live)
{
	if (unlikely(!series->count)) {
		series->first_ticks = now;
		series->first_live_bytes = live;
	}
	series->last_ticks = now;
	series->last_live_bytes = live;
	series->count++;
}

/* Returns the calling thread's context with its series marked busy; or NULL. */
static inline struct lane_context *begin(void)
{
	struct lane_context *context = context_get();

	if (unlikely(!context)) {
		process_count(SEGMENT_COUNTER_LATE_EVENTS, 1);
		return NULL;
	}
	if (paused_is_on())
		return NULL;
	if (paused_was(context))
		paused_take_up(context);
	if (busy_take(context, BUSY_SERIES, (uintptr_t)__builtin_frame_address(0)))
		return context;
	context->lane->lost_mark_count++; /* a handler interrupted another mark */
	return NULL;
}

static inline void end(struct lane_context *context)
{
	busy_give(context, BUSY_SERIES);
}

static inline __attribute__((always_inline)) void
mark_step(struct lane_context *context, struct segment_series *series, uint64_t now)
{
	int64_t live = live_bytes();

	add_mark(series, now, live);
	if (likely(series->open_ticks))
		add_step(context, series, now, live);
	series->open_ticks = now;
	series->open_ready_ns = context->off_cpu.ready_ns;
	series->open_blocked_ns = context->off_cpu.blocked_ns;
	series->open_mark = ++context->recent_waits.mark_count;
}

/* The study's time is left out of all steps and calls. 0: there is no such series. */
static cold int mark_studied(struct lane_context *context, const char *name, uint64_t now)
{
	uint32_t number = find_slow(context, name, SEGMENT_SERIES_STEP);
	struct segment_series *series;
	struct study_step step;
	uint64_t since;

	if (!number)
		return 0;
	series = series_at(context, number - 1);
	step = (struct study_step){.series = number - 1,
				   .is_first = !series->open_ticks,
				   .reason = context->series_studies[number - 1],
				   .begin_ticks = series->open_ticks,
				   .end_ticks = now,
				   .ready_ns = context->off_cpu.ready_ns -
					       series->open_ready_ns};
	mark_step(context, series, now);
	since = clock_now();
	study_mark(context, &step);
	series->open_ticks += off_cpu_leave_out(context, since);
	return 1;
}

/* Gives up when the thread is switched out again after every reading. */
#define READINGS_MOST 4

void series_step(const char *name)
{
	uint64_t now = clock_now();
	struct lane_context *context = begin();
	struct segment_series *series;

	if (!context)
		return;
	/* a switch after the reading belongs to the next step, but would be booked on
	 * this */
	for (int i = 0; unlikely(switches_has_been(context)) && i < READINGS_MOST; i++) {
		off_cpu_book(context);
		now = clock_now();
	}
	if (!name)
		name = "";
	series = find_series(context, name, SEGMENT_SERIES_STEP);
	if (likely(series))
		mark_step(context, series, now);
	else if (!mark_studied(context, name, now))
		context->lane->lost_mark_count++;
	end(context);
}

void series_counter(const char *name, double value)
{
	uint64_t now = clock_now();
	struct lane_context *context = begin();
	struct segment_series *series = NULL;
	int64_t live;

	if (!context)
		return;
	if (value - value == 0) /* neither infinite nor NaN */
		series = find_series(context, name ? name : "", SEGMENT_SERIES_COUNTER);
	if (likely(series)) {
		live = live_bytes();
		add_mark(series, now, live);
		add_value(series, (struct segment_mark){.value = value,
							.ticks = now,
							.live_bytes = live});
	} else {
		context->lane->lost_mark_count++;
	}
	end(context);
}
