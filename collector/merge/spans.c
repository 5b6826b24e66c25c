/* SPDX-License-Identifier: MIT */
/* Collects the long calls and steps of all lanes. */
#include "collector/merge/place.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/quantities.h"
#include "common/base/xalloc.h"
#include "common/segment_slow.h"

/* Pauses that the clock of the lane's current stack has not subtracted yet. */
static uint64_t paused_ticks(const struct lane_walk *walk, uint64_t end_ticks)
{
	const struct read_process *process =
		&walk->merge->run->processes[walk->process_index];
	uint64_t known = walk->data.header.paused_ticks, ticks = 0;

	if (process->paused_ticks > known)
		ticks = process->paused_ticks - known;
	if (process->paused_since_ticks && process->paused_since_ticks < end_ticks)
		count_add(&ticks, end_ticks - process->paused_since_ticks);
	return ticks;
}

/* The end on the clock of a stack that was suspended for so long. left: when it was left;
 * 0 when it is in use, and then it was paused, too. */
static struct open_frame stack_end(uint64_t end_ticks, uint64_t suspended, uint64_t left,
				   uint64_t paused)
{
	if (left && left < end_ticks)
		end_ticks = left;
	else
		count_add(&suspended, paused);
	return (struct open_frame){
		.end_ticks = suspended < end_ticks ? end_ticks - suspended : 0,
		.suspended_ticks = suspended < end_ticks ? suspended : end_ticks};
}

/* Is it the frame of a call that was merged into this node (shim/lane/frames.h)? */
static int is_merged(const struct read_lane_data *data, const struct segment_frame *frame,
		     uint32_t node)
{
	return !frame->node && node < data->node_count &&
	       data->nodes[node].key == frame->function &&
	       data->nodes[node].parent != frame->parent_node;
}

/* Moves the beginnings of the calls between. steps limits work on a damaged spool. */
static void move_beginnings(struct segment_frame *frames, uint32_t at, uint32_t node,
			    uint64_t ticks, uint64_t *steps)
{
	for (; at > 0 && frames[at].parent_node != node && *steps; at--, --*steps)
		count_add(&frames[at - 1].start_ticks, ticks);
}

#define STEPS_FOR_FRAME 64u

/* Does what the ends of merged calls would have done to the calls between, innermost
 * first. The node that a call was merged into is the parent of the next. */
static void end_merged(const struct read_lane_data *data, struct segment_frame *frames,
		       uint32_t count, uint64_t end_ticks)
{
	uint64_t steps = (uint64_t)count * STEPS_FOR_FRAME;

	for (uint32_t i = count; i-- > 1;) {
		uint32_t node = frames[i].parent_node;
		const struct segment_frame *frame = &frames[i - 1];

		if (is_merged(data, frame, node) && frame->start_ticks < end_ticks)
			move_beginnings(frames, i - 1, node,
					end_ticks - frame->start_ticks, &steps);
	}
}

void open_frames_each(const struct lane_walk *walk, open_frames_visit *visit,
		      void *context)
{
	const struct read_lane_data *data = &walk->data;
	uint64_t end_ticks = walk->end->end_ticks;
	uint64_t paused = paused_ticks(walk, end_ticks);
	struct open_frame open = stack_end(end_ticks, data->header.suspended_ticks,
					   data->header.left_ticks, paused);
	uint32_t next = data->frame_count, at = 0;
	auto_free struct segment_frame *frames =
		xcalloc(data->frame_count + 1u, sizeof(*frames));

	if (data->frame_count)
		memcpy(frames, data->frames, data->frame_count * sizeof(*frames));
	for (uint32_t i = 0; i < data->fiber_count; i++)
		next -= data->fibers[i].depth;
	for (uint32_t i = 0;; i++) {
		end_merged(data, &frames[at], next - at, open.end_ticks);
		for (; at < next; at++) {
			open.frame = &frames[at];
			visit(context, &open);
		}
		if (i == data->fiber_count)
			break;
		next += data->fibers[i].depth;
		open = stack_end(end_ticks, data->fibers[i].suspended_ticks,
				 data->fibers[i].left_ticks, paused);
	}
}

/* The most spans of a run; the longest are kept. */
#define SPANS_MOST (1u << 18)

/* kind: enum segment_span_kind, or open. */
#define SPANS_OPEN 4u

static void raise_complete(struct spans *spans, uint64_t ticks)
{
	count_raise(&spans->complete_ticks, ticks);
}

/* Keeps about half of them, the longest. */
static void drop_shortest(struct spans *spans)
{
	size_t counts[SEGMENT_HISTOGRAM_BUCKETS] = {0}, above = 0, kept = 0;
	uint32_t cut = SEGMENT_HISTOGRAM_BUCKETS;

	for (size_t i = 0; i < spans->count; i++)
		counts[segment_histogram_bucket(spans->all[i].ticks)]++;
	while (cut && above + counts[cut - 1] <= spans->count / 2)
		above += counts[--cut];
	for (size_t i = 0; i < spans->count; i++) {
		uint64_t bucket = segment_histogram_bucket(spans->all[i].ticks);

		if (bucket >= cut || (bucket + 1 == cut && i % 2))
			spans->all[kept++] = spans->all[i];
		else
			raise_complete(spans, spans->all[i].ticks + 1);
	}
	count_add(&spans->thinned_count, spans->count - kept);
	spans->count = kept;
}

static void add(struct merge *merge, const struct merge_span *span)
{
	struct spans *spans = &merge->spans;

	if (spans->count >= SPANS_MOST)
		drop_shortest(spans);
	POOL_ADD(&merge->pool, spans->all, spans->count) = *span;
}

static int is_whole(const struct lane_walk *walk, const struct segment_span *span)
{
	return span->kind >= SEGMENT_SPAN_CALL && span->kind <= SEGMENT_SPAN_STEP &&
	       span->begin_ticks <= span->end_ticks && (int64_t)span->ticks >= 0 &&
	       (span->kind != SEGMENT_SPAN_STEP ||
		span->series < walk->data.series_count) &&
	       span->node && span->node < walk->data.node_count;
}

/* The run's limit for kept spans, in ticks. */
static uint64_t spans_floor(const struct merge *merge)
{
	double ticks = (double)merge->run->page.span_floor_ns / merge->ticks->ns_per_tick;

	return ticks >= 1 && ticks < 9e18 ? (uint64_t)ticks : UINT64_MAX;
}

struct lane_spans {
	struct spans *spans;
	const struct lane_walk *walk;
	uint64_t floor_ticks;	 /* UINT64_MAX: nothing is kept */
	struct merge_span *open; /* outermost first of each stack */
	uint32_t *open_nodes;	 /* parallel */
	size_t open_count;
	uint32_t last_process; /* process of the last thread found */
};

/* Finds the process of the slot that the thread's row belongs to. Processes that used a
 * slot in turn are in the order in which they began, and so are the spans. */
static void find_thread(struct lane_spans *lane, uint32_t number, struct merge_span *span)
{
	const struct read_run *run = lane->walk->merge->run;
	const struct read_process *owner = &run->processes[lane->walk->process_index];

	span->process = lane->walk->process_index;
	span->thread = SPANS_NO_THREAD;
	for (size_t i = 0; number != UINT32_MAX && i < run->process_count; i++) {
		uint32_t at = (uint32_t)((lane->last_process + i) % run->process_count);
		const struct read_process *process = &run->processes[at];
		uint64_t first;

		if (process->file != owner->file || process->slot != owner->slot ||
		    !process->threads || !owner->all_threads)
			continue;
		first = (uint64_t)(process->threads - owner->all_threads);
		if (number < first || number - first >= process->thread_count)
			continue;
		lane->last_process = span->process = at;
		span->thread = number - (uint32_t)first;
		return;
	}
}

/* The name may lack its NUL. */
static uint32_t step_name(struct merge *merge, struct segment_series *series)
{
	series->name[sizeof(series->name) - 1] = '\0';
	return intern_text(&merge->names, series->name, NULL);
}

static void add_span(struct lane_spans *lane, const struct segment_span *from)
{
	const struct lane_walk *walk = lane->walk;
	struct merge_span span = {.begin_ticks = from->begin_ticks,
				  .end_ticks = from->end_ticks,
				  .ticks = from->ticks,
				  .ready_ns = from->ready_ns,
				  .blocked_ns = from->blocked_ns,
				  .lane = walk->lane,
				  .kind = from->kind,
				  .is_split = walk->waits.are_seen};

	if (place_is_cut(walk, from->node)) {
		count_add(&lane->spans->lost_count, 1);
		raise_complete(lane->spans, from->ticks);
		return;
	}
	if (!is_whole(walk, from)) {
		lane->spans->damaged_count++;
		return;
	}
	if (walk->nodes[from->node].is_nested)
		return; /* the node around it stands for its call */
	waits_take_late(walk, &span.ready_ns, &span.blocked_ns);
	span.path = walk->nodes[from->node].path;
	if (from->kind == SEGMENT_SPAN_STEP)
		span.name = step_name(walk->merge, &walk->data.series[from->series]);
	find_thread(lane, from->thread, &span);
	add(walk->merge, &span);
}

/* Did that open frame make this call? Yes when it ended after the frame began by the
 * frame's clock, or when the path was only called once. */
static int is_inside(const struct lane_spans *lane, const struct segment_span *span,
		     size_t open)
{
	uint32_t node = lane->open_nodes[open];

	return span->begin_ticks < lane->open[open].begin_ticks &&
	       (lane->walk->data.nodes[node].call_count == 1 ||
		span->end_ticks > lane->open[open].begin_ticks);
}

/* Moves the beginning of open calls back. A call began when its stack's clock says, or
 * earlier, as frames do not tell what was left out since then. It began no later than
 * what it called. */
static void stretch_open(struct lane_spans *lane)
{
	const struct lane_walk *walk = lane->walk;
	uint32_t *opened = xcalloc(walk->data.node_count + 1u, sizeof(*opened));

	for (size_t i = 0; i < lane->open_count; i++)
		opened[lane->open_nodes[i]] = (uint32_t)i + 1;
	for (uint32_t i = 0; i < walk->data.span_count; i++) {
		const struct segment_span *span = &walk->data.spans[i];
		uint32_t node = is_whole(walk, span) ? span->node : 0, steps = 0;

		while (node > LANE_ROOT && node < walk->data.node_count &&
		       !opened[node] && steps++ < walk->data.node_count)
			node = walk->data.nodes[node].parent;
		if (node > LANE_ROOT && node < walk->data.node_count && opened[node] &&
		    is_inside(lane, span, opened[node] - 1))
			lane->open[opened[node] - 1].begin_ticks = span->begin_ticks;
	}
	free(opened);
	for (size_t i = lane->open_count; i-- > 1;)
		if (lane->open[i - 1].begin_ticks > lane->open[i].begin_ticks &&
		    lane->open[i - 1].end_ticks == lane->open[i].end_ticks)
			lane->open[i - 1].begin_ticks = lane->open[i].begin_ticks;
}

static void add_open(void *context, const struct open_frame *open)
{
	struct lane_spans *lane = context;
	const struct lane_walk *walk = lane->walk;
	const struct segment_frame *frame = open->frame;
	uint64_t ticks = open->end_ticks - frame->start_ticks;

	if (frame->node <= LANE_ROOT || frame->node >= walk->data.node_count ||
	    !walk->nodes[frame->node].is_placed || walk->nodes[frame->node].is_nested ||
	    segment_frame_is_inherited(frame) || frame->start_ticks >= open->end_ticks ||
	    ticks < lane->floor_ticks)
		return;
	lane->open = array_room(lane->open, lane->open_count, sizeof(*lane->open));
	lane->open_nodes =
		array_room(lane->open_nodes, lane->open_count, sizeof(*lane->open_nodes));
	lane->open_nodes[lane->open_count] = frame->node;
	lane->open[lane->open_count++] = (struct merge_span){
		.begin_ticks = frame->start_ticks + open->suspended_ticks,
		.end_ticks = open->end_ticks + open->suspended_ticks,
		.ticks = ticks,
		.lane = walk->lane,
		.path = walk->nodes[frame->node].path,
		.kind = SPANS_OPEN};
}

static int compare_spans(const void *a, const void *b)
{
	const struct segment_span *left = a, *right = b;

	return ORDER_BY(left, right, begin_ticks) ?: ORDER_BY(right, left, end_ticks)
		       ?: ORDER_BY_2(left, right, node, kind);
}

/* Adds the kept spans, each once: a shim that died while it made room left some twice. */
static void add_kept(struct lane_spans *lane)
{
	struct segment_span *all = lane->walk->data.spans;
	uint32_t count = lane->walk->data.span_count;

	if (count)
		qsort(all, count, sizeof(*all), compare_spans);
	for (uint32_t i = 0; i < count; i++)
		if (all[i].kind && (!i || compare_spans(&all[i - 1], &all[i]) != 0))
			add_span(lane, &all[i]);
}

void spans_add_lane(const struct lane_walk *walk)
{
	const struct segment_lane *header = &walk->data.header;
	struct spans *spans = &walk->merge->spans;
	struct lane_spans lane = {.spans = spans,
				  .walk = walk,
				  .last_process = walk->process_index,
				  .floor_ticks = spans_floor(walk->merge)};

	count_add(&spans->thinned_count, header->thinned_span_count);
	count_add(&spans->lost_count, header->lost_span_count);
	count_add(&spans->joined_count, header->joined_mark_count);
	if (lane.floor_ticks != UINT64_MAX) {
		raise_complete(spans, header->span_complete_ticks);
		open_frames_each(walk, add_open, &lane);
		stretch_open(&lane);
		for (size_t i = 0; i < lane.open_count; i++) {
			find_thread(&lane, header->thread, &lane.open[i]);
			add(walk->merge, &lane.open[i]);
		}
		add_kept(&lane);
	}
	free(lane.open);
	free(lane.open_nodes);
}
