/* SPDX-License-Identifier: MIT */
/* Keeps spans: their beginning, the threshold, which stay. Runs on: as spans.h. */
#include "shim/lane/spans.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/busy.h"

/* After INTERVAL_SPANS spans in an interval of the thread's CPU time the threshold
 * doubles, and again after each further half. After an interval with less than a quarter
 * it is halved; with next to none it falls faster: the end of a deep recursion, a
 * thousand long calls at once, must not blind us for long. */
#define INTERVAL_TICKS (clock_tenth_of_second())
#define INTERVAL_SPANS 256u
#define FEW_SPANS (INTERVAL_SPANS / 4)
#define NO_SPANS (INTERVAL_SPANS / 32)

#define RESERVED_SPANS 512u

/* When there is no room, the longest quarter stays, and up to half in all of the longest
 * ones of each part of the time. */
#define LONGEST_SHARE 4u
#define PARTS_SHARE 2u

void spans_begin(struct lane_context *context)
{
	struct lane_spans *spans = &context->spans;
	const struct segment_run *run = process_facts.run;
	double floor = (double)run->span_floor_ns * 1e-9 * run->ticks_per_second;

	spans->mark_count = 0;
	spans->interval_count = 0;
	spans->interval_ticks = lane_busy_ticks(context, clock_now());
	spans->floor_ticks =
		floor >= 1 && floor < (double)SPANS_NEVER ? (uint64_t)floor : SPANS_NEVER;
	context->span_ticks = spans->floor_ticks;
	if (context->lane->span_complete_ticks < context->span_ticks)
		context->lane->span_complete_ticks = context->span_ticks;
}

static struct segment_span *all_of(const struct lane_context *context)
{
	return arrays_entries(context->lane, &context->lane->spans);
}

/* From now on only spans of at least that length are all there. */
static void raise_complete(struct lane_context *context, uint64_t ticks)
{
	if (context->lane->span_complete_ticks < ticks)
		context->lane->span_complete_ticks = ticks;
}

/* The lowest bucket of lengths with at most `most` spans above it. */
static uint32_t find_cut(struct lane_spans *spans, const struct segment_span *all,
			 uint32_t count, uint32_t most)
{
	uint32_t bucket = SEGMENT_HISTOGRAM_BUCKETS, above = 0;

	for (uint32_t i = 0; i < SEGMENT_HISTOGRAM_BUCKETS; i++)
		spans->histogram[i] = 0;
	for (uint32_t i = 0; i < count; i++)
		spans->histogram[segment_histogram_bucket(all[i].ticks)]++;
	while (bucket && above + spans->histogram[bucket - 1] <= most)
		above += spans->histogram[--bucket];
	return bucket ? bucket - 1 : 0;
}

struct thinning {
	struct segment_span *all;
	uint32_t count, kept;
	uint64_t begin_ticks, part_ticks;
	uint32_t longest_cut; /* spans in higher buckets stay */
	uint64_t dropped_ticks;
};

static uint64_t part_of(const struct thinning *thinning, const struct segment_span *span)
{
	return (span->end_ticks - thinning->begin_ticks) / thinning->part_ticks;
}

/* Thins one part of the time, [from, to). Among spans in the cut's bucket it keeps some,
 * evenly spread: the parts are cut differently the next time. */
static void thin_part(struct lane_spans *spans, struct thinning *thinning, uint32_t from,
		      uint32_t to)
{
	struct segment_span *all = thinning->all;
	uint32_t most = thinning->count / PARTS_SHARE / SEGMENT_SPAN_PARTS;
	uint32_t cut = find_cut(spans, all + from, to - from, most);
	uint32_t alike = spans->histogram[cut], room = most, seen = 0;

	for (uint32_t i = from; i < to && room; i++)
		room -= segment_histogram_bucket(all[i].ticks) > cut;
	for (uint32_t i = from; i < to; i++) {
		uint32_t bucket = (uint32_t)segment_histogram_bucket(all[i].ticks);
		int is_kept = bucket > cut || bucket > thinning->longest_cut;

		if (bucket == cut) {
			is_kept |= room >= alike ||
				   (seen + 1) * room / alike != seen * room / alike;
			seen++;
		}
		if (is_kept)
			all[thinning->kept++] = all[i];
		else if (all[i].ticks > thinning->dropped_ticks)
			thinning->dropped_ticks = all[i].ticks;
	}
}

/* Makes room. The caller leaves its time out of all calls. */
static void thin(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;
	struct thinning thinning = {.all = all_of(context),
				    .count = arrays_count(&lane->spans)};
	const struct segment_span *last = &thinning.all[thinning.count - 1];
	uint32_t from = 0;

	thinning.begin_ticks = thinning.all[0].end_ticks;
	thinning.part_ticks = last->end_ticks - thinning.begin_ticks;
	if ((int64_t)thinning.part_ticks < 0)
		thinning.part_ticks = 0;
	thinning.part_ticks = thinning.part_ticks / SEGMENT_SPAN_PARTS + 1;
	thinning.longest_cut = find_cut(&context->spans, thinning.all, thinning.count,
					thinning.count / LONGEST_SHARE);
	for (uint32_t to = 1; to <= thinning.count; to++) {
		if (to < thinning.count && part_of(&thinning, &thinning.all[from]) ==
						   part_of(&thinning, &thinning.all[to]))
			continue;
		thin_part(&context->spans, &thinning, from, to);
		from = to;
	}
	lane->thinned_span_count += thinning.count - thinning.kept;
	raise_complete(context, thinning.dropped_ticks + 1);
	arrays_publish(&lane->spans, thinning.kept);
}

/* Without more room, perhaps because the file may not grow, thins what there is. */
static int append(struct lane_context *context, const struct segment_span *span)
{
	struct segment_lane *lane = context->lane;
	struct segment_array *spans = &lane->spans;

	if (process_grow(lane, context->slot, ARRAY_SPANS, spans->count + 1) < 0) {
		if (spans->count < SEGMENT_SPAN_PARTS)
			return -1;
		thin(context);
		if (spans->count >= spans->committed)
			return -1;
	}
	all_of(context)[spans->count] = *span;
	arrays_publish(spans, spans->count + 1);
	return 0;
}

void spans_reserve(struct lane_context *context)
{
	process_grow(context->lane, context->slot, ARRAY_SPANS, RESERVED_SPANS);
}

void spans_look(struct lane_context *context, uint64_t now)
{
	struct lane_spans *spans = &context->spans;
	uint64_t busy_ticks = lane_busy_ticks(context, now);
	uint64_t intervals = (busy_ticks - spans->interval_ticks) / INTERVAL_TICKS;
	uint64_t shift = spans->interval_count < NO_SPANS    ? 3
			 : spans->interval_count < FEW_SPANS ? 1
							     : 0;

	if (!intervals || (int64_t)intervals < 0 || context->busy[BUSY_SPANS])
		return;
	shift += 3 * (intervals - 1);
	if (shift > 63 || context->span_ticks >> shift < spans->floor_ticks)
		context->span_ticks = spans->floor_ticks;
	else
		context->span_ticks >>= shift;
	spans->interval_count = 0;
	spans->interval_ticks = busy_ticks;
}

static void count_interval(struct lane_context *context)
{
	struct lane_spans *spans = &context->spans;

	spans_look(context, clock_now());
	if (++spans->interval_count < INTERVAL_SPANS)
		return;
	spans->interval_count = INTERVAL_SPANS / 2;
	if (context->span_ticks < SPANS_NEVER / 2)
		context->span_ticks *= 2;
	raise_complete(context, context->span_ticks);
}

/* What threads waited while the stack was in use. */
static void waits_of(const struct lane_context *context, const struct fiber *fiber,
		     uint64_t *ret_ready_ns, uint64_t *ret_blocked_ns)
{
	*ret_ready_ns = fiber->ready_ns;
	*ret_blocked_ns = fiber->blocked_ns;
	if (fiber == context->fiber) {
		*ret_ready_ns = context->off_cpu.ready_ns - fiber->ready_ns;
		*ret_blocked_ns = context->off_cpu.blocked_ns - fiber->blocked_ns;
	}
}

static void drop_mark(struct lane_spans *spans, uint32_t at)
{
	spans->mark_count--;
	for (; at < spans->mark_count; at++)
		spans->marks[at] = spans->marks[at + 1];
}

/* The latest mark of the stack before this one; the number of marks: none. */
static uint32_t mark_before(const struct lane_spans *spans, const struct fiber *fiber,
			    uint32_t at)
{
	while (at-- > 0)
		if (spans->marks[at].fiber == fiber)
			return at;
	return spans->mark_count;
}

/* The first mark that is not older than a call that began then. */
static const struct lane_span_mark *find_mark(const struct lane_spans *spans,
					      const struct fiber *fiber, uint64_t begin)
{
	for (uint32_t i = 0; i < spans->mark_count; i++)
		if (spans->marks[i].fiber == fiber && spans->marks[i].ticks >= begin)
			return &spans->marks[i];
	return NULL;
}

/* The innermost open frame that began at that time or before. Frames are in the order of
 * their starts. */
static const struct segment_frame *frame_at(const struct lane_context *context,
					    uint64_t ticks)
{
	const struct segment_frame *low = context->frames, *high = context->top;

	while (low < high) {
		const struct segment_frame *middle = low + (high - low) / 2;

		if (middle->start_ticks <= ticks)
			low = middle + 1;
		else
			high = middle;
	}
	return low > context->frames ? low - 1 : NULL;
}

/* Drops marks that no open frame needs: those after the first not older than begin. */
static void drop_ended(struct lane_spans *spans, const struct fiber *fiber,
		       uint64_t begin)
{
	for (uint32_t i = spans->mark_count; i-- > 0;) {
		uint32_t before;

		if (spans->marks[i].fiber != fiber)
			continue;
		before = mark_before(spans, fiber, i);
		if (before == spans->mark_count ? begin > 0
						: spans->marks[before].ticks < begin)
			break;
		drop_mark(spans, i);
	}
}

/* Merges a mark into the next one of its stack, where that changes the waits least. */
static void join_marks(struct lane_context *context)
{
	struct lane_spans *spans = &context->spans;
	uint64_t least = UINT64_MAX;
	uint32_t at = 0;

	for (uint32_t i = 1; i < spans->mark_count; i++) {
		uint32_t before = mark_before(spans, spans->marks[i].fiber, i);
		uint64_t waits;

		if (before == spans->mark_count)
			continue;
		waits = spans->marks[i].ready_ns - spans->marks[before].ready_ns +
			spans->marks[i].blocked_ns - spans->marks[before].blocked_ns;
		if (waits >= least)
			continue;
		least = waits;
		at = before;
	}
	drop_mark(spans, at);
	context->lane->joined_mark_count++;
}

void spans_note_frames(struct lane_context *context)
{
	struct lane_spans *spans = &context->spans;
	const struct fiber *fiber = context->fiber;
	const struct segment_frame *innermost = context->top - 1, *known = NULL;
	struct lane_span_mark *mark;
	uint32_t last;

	if (spans->floor_ticks == SPANS_NEVER || context->top == context->frames)
		return;
	last = mark_before(spans, fiber, spans->mark_count);
	if (last < spans->mark_count) {
		if (innermost->start_ticks <= spans->marks[last].ticks)
			return;
		known = frame_at(context, spans->marks[last].ticks);
	}
	if (!busy_take(context, BUSY_SPANS, (uintptr_t)__builtin_frame_address(0)))
		return;
	drop_ended(spans, fiber, known ? known->start_ticks : 0);
	if (spans->mark_count == LANE_SPAN_MARKS)
		join_marks(context);
	mark = &spans->marks[spans->mark_count];
	mark->fiber = fiber;
	mark->ticks = innermost->start_ticks;
	mark->offset_ticks = context->clock_offset;
	waits_of(context, fiber, &mark->ready_ns, &mark->blocked_ns);
	spans->mark_count++;
	busy_give(context, BUSY_SPANS);
}

static void keep(struct lane_context *context, struct segment_span *span)
{
	int result = -1;

	span->thread = context->thread;
	if (busy_take(context, BUSY_SPANS, (uintptr_t)__builtin_frame_address(0))) {
		result = append(context, span);
		busy_give(context, BUSY_SPANS);
		count_interval(context);
	}
	if (result == 0)
		return;
	context->lane->lost_span_count++;
	raise_complete(context, span->ticks + 1);
}

cold void spans_keep_call(struct lane_context *context, const struct fiber *fiber,
			  uint32_t node, uint64_t begin, uint64_t end,
			  enum segment_span_kind kind)
{
	const struct lane_span_mark *mark = find_mark(&context->spans, fiber, begin);
	uint64_t offset = fiber->clock->suspended_ticks;
	struct segment_span span = {.begin_ticks =
					    begin + (mark ? mark->offset_ticks : offset),
				    .end_ticks = end + offset,
				    .ticks = end - begin,
				    .node = node,
				    .kind = (uint16_t)kind};

	if (span.ticks < context->span_ticks || span.ticks >= SPANS_NEVER)
		return;
	if (mark) {
		waits_of(context, fiber, &span.ready_ns, &span.blocked_ns);
		span.ready_ns -= mark->ready_ns;
		span.blocked_ns -= mark->blocked_ns;
	}
	keep(context, &span);
	if (fiber == context->fiber)
		spans_note_frames(context);
}

cold void spans_keep_step(struct lane_context *context, const struct segment_span *step)
{
	struct segment_span span = *step;

	span.node = context->current;
	span.kind = SEGMENT_SPAN_STEP;
	keep(context, &span);
}
