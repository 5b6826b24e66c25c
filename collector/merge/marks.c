/* SPDX-License-Identifier: MIT */
/* Joins the series of all lanes. Must not trust a number of a lane. */
#include "collector/merge/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/map.h"
#include "common/base/xalloc.h"

static struct marks_series *find_or_add(struct merge *merge, uint32_t process,
					uint32_t kind, const char *name)
{
	uint64_t whose = (uint64_t)process << 32 | kind;
	uint32_t text = intern_text(&merge->names, name, NULL), index;
	struct marks *marks = &merge->marks;
	struct marks_series *series;
	bool is_new;

	index = map_number(&merge->series_map, whose, text, 0, &is_new);
	if (!is_new)
		return marks->all[index];
	series = pool_array(&merge->pool, 1, sizeof(*series));
	POOL_ADD(&merge->pool, marks->all, marks->count) = series;
	memcpy(series->name, name, strlen(name) + 1);
	series->kind = kind;
	series->process = process;
	return series;
}

/* Inserts a value among the extremes if it is one. sign: 1 for the highest first. */
static void add_extreme(struct marks_value *all, uint32_t *count,
			const struct marks_value *value, double sign)
{
	uint32_t at = *count;

	while (at > 0 && sign * value->mark.value > sign * all[at - 1].mark.value)
		at--;
	if (at == SEGMENT_SERIES_EXTREMES)
		return;
	if (*count < SEGMENT_SERIES_EXTREMES)
		++*count;
	memmove(&all[at + 1], &all[at], (*count - 1 - at) * sizeof(*all));
	all[at] = *value;
}

static int is_plausible(const struct segment_mark *mark, enum segment_series_kind kind)
{
	return isfinite(mark->value) &&
	       (kind == SEGMENT_SERIES_COUNTER || mark->value >= 0);
}

static struct marks_value value_of(const struct lane_walk *walk,
				   const struct segment_mark *mark)
{
	struct marks_value value = {
		.mark = *mark, .process = walk->process_index, .lane = walk->lane};

	waits_take_late(walk, &value.mark.ready_ns, &value.mark.blocked_ns);
	return value;
}

static struct marks_wait wait_of(const struct lane_walk *walk,
				 const struct segment_step_wait *from)
{
	struct marks_wait wait = {place_path(walk, from->node), from->ready_ns,
				  from->blocked_ns};

	waits_take_late(walk, &wait.ready_ns, &wait.blocked_ns);
	return wait;
}

static uint32_t keep_waits(const struct lane_walk *walk,
			   const struct segment_step_wait *from)
{
	struct pool *pool = &walk->merge->pool;
	struct marks *marks = &walk->merge->marks;
	size_t first = marks->wait_count ? marks->wait_count : SEGMENT_STEP_WAITS;

	if (!from[0].node || first + SEGMENT_STEP_WAITS > UINT32_MAX)
		return 0;
	while (marks->wait_count < first) /* none */
		POOL_ADD(pool, marks->waits, marks->wait_count) =
			(struct marks_wait){.path = 0};
	for (uint32_t i = 0; i < SEGMENT_STEP_WAITS; i++)
		POOL_ADD(pool, marks->waits, marks->wait_count) = wait_of(walk, &from[i]);
	return (uint32_t)first;
}

/* Paths reported for one name. */
#define SERIES_PATHS_MOST 64u

static void add_wait(struct merge *merge, struct marks_series *to,
		     const struct marks_wait *wait)
{
	size_t i = 0;

	while (i < to->wait_count && to->waits[i].path != wait->path)
		i++;
	if (i == SERIES_PATHS_MOST)
		return;
	if (i == to->wait_count)
		POOL_ADD(&merge->pool, to->waits, to->wait_count) =
			(struct marks_wait){.path = wait->path};
	count_add(&to->waits[i].ready_ns, wait->ready_ns);
	count_add(&to->waits[i].blocked_ns, wait->blocked_ns);
}

static void add_waits(struct marks_series *to, const struct lane_walk *walk,
		      const struct segment_series *from)
{
	uint64_t ready_ns = from->ready_ns, blocked_ns = from->blocked_ns;

	waits_take_late(walk, &ready_ns, &blocked_ns);
	count_add(&to->ready_ns, ready_ns);
	count_add(&to->blocked_ns, blocked_ns);
	to->is_unsplit |= !walk->waits.are_seen;
	for (uint32_t i = 0; i < SEGMENT_SERIES_WAITS; i++) {
		struct marks_wait wait = wait_of(walk, &from->waits[i]);

		if (wait.path)
			add_wait(walk->merge, to, &wait);
	}
}

static void add_extremes(struct marks_series *to, const struct segment_series *from,
			 const struct lane_walk *walk, uint64_t *damaged_count)
{
	for (uint32_t i = 0; i < SEGMENT_SERIES_EXTREMES; i++) {
		struct marks_value high = value_of(walk, &from->highest[i]);
		struct marks_value low = value_of(walk, &from->lowest[i]);

		if (i < from->highest_count && to->kind == SEGMENT_SERIES_STEP)
			high.waits = keep_waits(walk, from->highest_waits[i]);
		if (i < from->highest_count && is_plausible(&high.mark, to->kind))
			add_extreme(to->highest, &to->highest_count, &high, 1);
		else if (i < from->highest_count)
			++*damaged_count;
		if (i < from->lowest_count && is_plausible(&low.mark, to->kind))
			add_extreme(to->lowest, &to->lowest_count, &low, -1);
		else if (i < from->lowest_count)
			++*damaged_count;
	}
}

static void add_latest(struct marks_series *to, const struct segment_series *from,
		       const struct lane_walk *walk, uint64_t *damaged_count)
{
	uint64_t count = from->value_count, first = 0;

	if (count > SEGMENT_SERIES_WINDOW)
		first = count - SEGMENT_SERIES_WINDOW;
	for (uint64_t i = first; i < count; i++) {
		struct marks_value value =
			value_of(walk, &from->window[i % SEGMENT_SERIES_WINDOW]);

		if (value.mark.index == i && is_plausible(&value.mark, to->kind))
			POOL_ADD(&walk->merge->pool, to->latest, to->latest_count) =
				value;
		else if (value.mark.index <= i) /* else written meanwhile */
			++*damaged_count;
	}
}

/* walk: their lane's; NULL when late times have been taken out already. */
static void add_spans(struct merge *merge, struct marks_series *to,
		      const struct lane_walk *walk,
		      const struct segment_series_span *from, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct segment_series_span *span;

		if (!from[i].count || !isfinite(from[i].sum) ||
		    from[i].last_ticks < from[i].first_ticks)
			continue;
		span = &POOL_ADD(&merge->pool, to->spans, to->span_count);
		*span = from[i];
		if (walk)
			waits_take_late(walk, &span->ready_ns, &span->blocked_ns);
	}
}

static void add_sums(struct marks_series *to, const struct segment_series *from)
{
	if (from->count && (!to->count || from->first_ticks < to->first_ticks)) {
		to->first_ticks = from->first_ticks;
		to->first_live_bytes = from->first_live_bytes;
	}
	if (from->count && (!to->count || from->last_ticks > to->last_ticks)) {
		to->last_ticks = from->last_ticks;
		to->last_live_bytes = from->last_live_bytes;
	}
	count_add(&to->count, from->count);
	count_add(&to->value_count, from->value_count);
	to->sum += from->sum;
	for (uint32_t i = 0; i < SEGMENT_SERIES_BUCKETS; i++)
		count_add(&to->histogram[i], from->histogram[i]);
}

void marks_add_lane(const struct lane_walk *walk)
{
	uint64_t *damaged_count = &walk->merge->damaged_count;

	for (uint32_t i = 0; i < walk->data.series_count; i++) {
		const struct segment_series *from = &walk->data.series[i];
		struct marks_series *to;

		if ((from->kind != SEGMENT_SERIES_STEP &&
		     from->kind != SEGMENT_SERIES_COUNTER) ||
		    from->name[sizeof(from->name) - 1] || !isfinite(from->sum) ||
		    from->value_count > from->count ||
		    (from->kind == SEGMENT_SERIES_STEP && from->sum < 0)) {
			++*damaged_count;
			continue;
		}
		to = find_or_add(walk->merge, walk->process_index, from->kind,
				 from->name);
		add_sums(to, from);
		if (from->kind == SEGMENT_SERIES_STEP)
			add_waits(to, walk, from);
		add_extremes(to, from, walk, damaged_count);
		add_spans(walk->merge, to, walk, from->spans, SEGMENT_SERIES_SPANS);
		add_latest(to, from, walk, damaged_count);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct segment_series_span *left = a, *right = b;

	return ORDER_BY_2(left, right, first_ticks, last_ticks);
}

static int by_time(const void *a, const void *b)
{
	const struct marks_value *left = a, *right = b;

	return ORDER_BY_3(left, right, mark.ticks, lane, mark.index);
}

/* Joins spans, which overlap, when they begin within the same 64th of the time. */
static void join_spans(struct marks_series *series)
{
	struct segment_series_span joined[SEGMENT_SERIES_SPANS] = {{.count = 0}};
	uint64_t first = series->spans[0].first_ticks;
	uint64_t length = series->spans[series->span_count - 1].first_ticks - first + 1;
	size_t kept = 0;

	for (size_t i = 0; i < series->span_count; i++) {
		const struct segment_series_span *from = &series->spans[i];
		size_t place = (size_t)((double)(from->first_ticks - first) /
					(double)length * SEGMENT_SERIES_SPANS);
		struct segment_series_span *to =
			&joined[place < SEGMENT_SERIES_SPANS ? place
							     : SEGMENT_SERIES_SPANS - 1];

		if (!to->count)
			to->first_ticks = from->first_ticks;
		if (from->last_ticks >= to->last_ticks) {
			to->last_ticks = from->last_ticks;
			to->live_bytes = from->live_bytes;
		}
		count_add(&to->count, from->count);
		count_add(&to->ready_ns, from->ready_ns);
		count_add(&to->blocked_ns, from->blocked_ns);
		to->sum += from->sum;
	}
	for (size_t i = 0; i < SEGMENT_SERIES_SPANS; i++) {
		if (joined[i].count)
			series->spans[kept++] = joined[i];
	}
	series->span_count = kept;
}

static void put_in_order(struct marks_series *series)
{
	size_t surplus;

	if (series->span_count)
		qsort(series->spans, series->span_count, sizeof(*series->spans),
		      by_start);
	if (series->span_count > SEGMENT_SERIES_SPANS)
		join_spans(series);
	if (series->latest_count)
		qsort(series->latest, series->latest_count, sizeof(*series->latest),
		      by_time);
	if (series->latest_count > SEGMENT_SERIES_WINDOW) {
		surplus = series->latest_count - SEGMENT_SERIES_WINDOW;
		memmove(series->latest, series->latest + surplus,
			SEGMENT_SERIES_WINDOW * sizeof(*series->latest));
		series->latest_count = SEGMENT_SERIES_WINDOW;
	}
}

/* Adds a process's series to the run's. The latest values stay with the process. */
static void add_to_run(struct merge *merge, struct marks_series *to,
		       const struct marks_series *from)
{
	if (!to->count || from->first_ticks < to->first_ticks)
		to->first_ticks = from->first_ticks;
	if (!to->count || from->last_ticks > to->last_ticks)
		to->last_ticks = from->last_ticks;
	count_add(&to->count, from->count);
	count_add(&to->value_count, from->value_count);
	quantity_add(&to->growth_bytes, from->growth_bytes);
	to->sum += from->sum;
	for (uint32_t i = 0; i < SEGMENT_SERIES_BUCKETS; i++)
		count_add(&to->histogram[i], from->histogram[i]);
	for (uint32_t i = 0; i < from->highest_count; i++)
		add_extreme(to->highest, &to->highest_count, &from->highest[i], 1);
	for (uint32_t i = 0; i < from->lowest_count; i++)
		add_extreme(to->lowest, &to->lowest_count, &from->lowest[i], -1);
	add_spans(merge, to, NULL, from->spans, from->span_count);
	count_add(&to->ready_ns, from->ready_ns);
	count_add(&to->blocked_ns, from->blocked_ns);
	to->is_unsplit |= from->is_unsplit;
	for (size_t i = 0; i < from->wait_count; i++)
		add_wait(merge, to, &from->waits[i]);
}

void marks_finish(struct merge *merge)
{
	struct marks *marks = &merge->marks;
	size_t count = marks->count;

	for (size_t i = 0; i < count; i++) {
		struct marks_series *from = marks->all[i], *to;

		if (__builtin_sub_overflow(from->last_live_bytes, from->first_live_bytes,
					   &from->growth_bytes))
			from->growth_bytes = 0; /* damaged */
		put_in_order(from);
		to = find_or_add(merge, MARKS_ALL, from->kind, from->name);
		add_to_run(merge, to, from);
	}
	for (size_t i = count; i < marks->count; i++)
		put_in_order(marks->all[i]);
}

/* The value in the middle of a bucket. */
static double bucket_value(uint32_t bucket)
{
	uint32_t place = bucket > SEGMENT_SERIES_SIDE ? bucket - SEGMENT_SERIES_SIDE - 1
						      : SEGMENT_SERIES_SIDE - 1 - bucket;
	double value;

	if (bucket == SEGMENT_SERIES_SIDE)
		return 0;
	value = ldexp(8.5 + place % 8,
		      (int)(place / 8) + SEGMENT_SERIES_LOWEST_EXPONENT - 3);
	return bucket > SEGMENT_SERIES_SIDE ? value : -value;
}

double marks_percentile(const struct marks_series *series, double fraction)
{
	double count = 0, seen = 0, value = 0;
	uint32_t bucket = 0;

	for (uint32_t i = 0; i < SEGMENT_SERIES_BUCKETS; i++)
		count += (double)series->histogram[i];
	for (; bucket < SEGMENT_SERIES_BUCKETS; bucket++) {
		seen += (double)series->histogram[bucket];
		if (seen > 0 && seen >= fraction * count)
			break;
	}
	if (bucket < SEGMENT_SERIES_BUCKETS)
		value = bucket_value(bucket);
	if (series->lowest_count && value < series->lowest[0].mark.value)
		value = series->lowest[0].mark.value;
	if (series->highest_count && value > series->highest[0].mark.value)
		value = series->highest[0].mark.value;
	return value;
}
