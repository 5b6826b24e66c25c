/* SPDX-License-Identifier: MIT */
/*
 * Takes a snapshot: the lock, the record, calls and times of the lanes. Runs on: any
 * thread and context, inside and outside of the traced program. Must not call libc, or
 * trust a number of the mapping or read it twice: it may belong to a hostile process.
 */
#include "common/history.h"

#include <errno.h>
#include <stddef.h>

#include "common/arrays.h"
#include "common/attributes.h"
#include "common/libc/calls.h"

#define LANE_ROOT 1u

/* A shorter wait may only be the time between reading the two clocks. */
#define SHORTEST_OPEN_NS 2000u

int history_lock(uint32_t *lock, uint32_t holder, int pauses, history_pause *pause)
{
	for (int step = 0;; step++) {
		uint32_t seen = __atomic_load_n(lock, __ATOMIC_RELAXED);

		/* acquire: pairs with the release in history_unlock(); orders all */
		if ((seen == 0 || seen & SEGMENT_LOCK_DIED) &&
		    __atomic_compare_exchange_n(lock, &seen, holder, 0, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 0;
		if (step >= pauses)
			return -EBUSY;
		pause(step);
	}
}

void history_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

void history_layout(struct segment_history *header, uint64_t slot_size,
		    uint32_t process_slot)
{
	arrays_lay_out(SEGMENT_SLOT_HISTORY, header, slot_size);
	header->process_slot = process_slot;
	header->magic = SEGMENT_MAGIC_HISTORY;
}

void history_refuse(struct segment_process *process)
{
	__atomic_fetch_add(&process->counters[SEGMENT_COUNTER_REFUSED_SNAPSHOTS], 1,
			   __ATOMIC_RELAXED);
}

static races_by_design uint32_t read_number(const uint32_t *number)
{
	return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static races_by_design uint64_t read_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

int history_open(struct history *history)
{
	const struct segment_history *header = history->header;

	if (history->size < sizeof(*header) ||
	    read_word(&header->magic) != SEGMENT_MAGIC_HISTORY ||
	    arrays_read(header, ARRAY_SNAPSHOTS, history->size, &history->snapshots) <
		    0 ||
	    arrays_read(header, ARRAY_PATH_PASTS, history->size, &history->path_pasts) <
		    0)
		return -EINVAL;
	history->taken = read_number(&history->process->snapshot_interval);
	return 0;
}

/* Reserves pages for the entries [0, end) of an array that only takers write. */
static int reserve(struct history *history, enum array_number number,
		   struct segment_array *array, uint32_t end)
{
	struct segment_array *shared = arrays_in(history->header, number);
	int result = arrays_grow(number, array, &array->committed, end, history->commit,
				 history->commit_data);

	if (result == 0)
		shared->committed = array->committed;
	return result;
}

struct segment_snapshot *history_begin(struct history *history, const char *label,
				       enum segment_snapshot_cause cause)
{
	struct segment_array *array = &history->snapshots;
	struct segment_snapshot *snapshot;

	if (history->taken >= array->capacity ||
	    read_number(&history->header->incomplete_from) ||
	    reserve(history, ARRAY_SNAPSHOTS, array, history->taken + 1) < 0)
		return NULL;
	snapshot = arrays_entries(history->header, array);
	snapshot += history->taken;
	for (uint32_t i = 0; i < sizeof(snapshot->label); i++)
		snapshot->label[i] = 0;
	for (uint32_t i = 0; i + 1 < sizeof(snapshot->label) && label[i]; i++)
		snapshot->label[i] = label[i];
	snapshot->cause = cause;
	snapshot->rss_bytes = 0;
	snapshot->path_first = history->path_pasts.count;
	snapshot->path_count = 0;
	return snapshot;
}

struct history_booked history_read_booked(const struct segment_lane *header)
{
	struct history_booked booked = {.wall_ns = read_word(&header->booked_wall_ns),
					.cpu_ns = read_word(&header->booked_cpu_ns)};

	if (booked.cpu_ns && read_number(&header->in_use))
		booked.tid = (int32_t)read_number((const uint32_t *)&header->tid);
	return booked;
}

uint64_t history_open_ns(const struct segment_lane *header,
			 const struct history_booked *booked, uint64_t wall_ns,
			 uint64_t cpu_ns)
{
	int64_t open_ns =
		(int64_t)(wall_ns - booked->wall_ns) - (int64_t)(cpu_ns - booked->cpu_ns);

	if (open_ns < (int64_t)SHORTEST_OPEN_NS || wall_ns < booked->wall_ns ||
	    cpu_ns < booked->cpu_ns ||
	    read_word(&header->booked_wall_ns) != booked->wall_ns)
		return 0;
	return (uint64_t)open_ns;
}

/* A lane's arrays by one reading of its header, checked. */
struct lane_view {
	const struct segment_node *nodes;
	const struct segment_frame *frames;
	const struct segment_fiber *fibers;
	const struct segment_wait *waits;
	uint32_t node_count, fiber_count, wait_count;
	uint32_t waiting_node; /* where the lane's thread waits now; 0: nowhere */
	uint32_t depth, frame_capacity;
	uint32_t frames_left; /* stacks share no frames */
	uint64_t *open_ticks;
};

static int view_lane(const struct history_lane *lane, struct lane_view *ret)
{
	const struct segment_lane *header = lane->header;
	struct segment_array nodes, frames, fibers, waits;

	if (arrays_read(header, ARRAY_NODES, lane->size, &nodes) < 0 ||
	    arrays_read(header, ARRAY_WAITS, lane->size, &waits) < 0 ||
	    arrays_read(header, ARRAY_FRAMES, lane->size, &frames) < 0 ||
	    arrays_read(header, ARRAY_FIBERS, lane->size, &fibers) < 0)
		return -EINVAL;
	*ret = (struct lane_view){
		.nodes = arrays_entries(header, &nodes),
		.frames = arrays_entries(header, &frames),
		.fibers = arrays_entries(header, &fibers),
		.waits = arrays_entries(header, &waits),
		.node_count = nodes.count,
		.wait_count =
			waits.count < waits.committed ? waits.count : waits.committed,
		.fiber_count = fibers.count,
		.depth = frames.count,
		.frame_capacity = frames.capacity,
		.frames_left = frames.capacity,
		.open_ticks = lane->memory->open_ticks,
	};
	if (ret->node_count > lane->memory->node_limit)
		ret->node_count = lane->memory->node_limit;
	if (ret->node_count > SEGMENT_PAST_NODES)
		ret->node_count = SEGMENT_PAST_NODES;
	return 0;
}

/* Adds the time so far of one stack's open frames. A frame that ends meanwhile in another
 * thread may be counted twice or not at all. */
static races_by_design void add_open(struct lane_view *view, uint32_t first,
				     uint32_t depth, uint64_t end_ticks)
{
	if (first > view->frame_capacity || depth > view->frame_capacity - first ||
	    depth > view->frames_left)
		return;
	view->frames_left -= depth;
	for (const struct segment_frame *frame = view->frames + first;
	     frame < view->frames + first + depth; frame++) {
		uint32_t node = read_number(&frame->node);
		uint64_t start = read_word(&frame->start_ticks);

		if (node > LANE_ROOT && node < view->node_count && start < end_ticks)
			view->open_ticks[node] += end_ticks - start;
	}
}

/* Pauses that the clock of the lane's current stack has not subtracted yet. */
static races_by_design uint64_t paused_ticks(const struct segment_process *process,
					     const struct segment_lane *lane,
					     uint64_t now)
{
	uint64_t since = read_word(&process->paused_since_ticks);
	uint64_t ticks =
		read_word(&process->paused_ticks) - read_word(&lane->paused_ticks);

	if ((int64_t)ticks < 0)
		ticks = 0;
	return since && since < now ? ticks + (now - since) : ticks;
}

/* Now, on the clock of a stack that was suspended for so long. left: when it was left; 0:
 * it is in use, and was paused, too. */
static uint64_t stack_now(uint64_t now, uint64_t suspended, uint64_t left,
			  uint64_t paused)
{
	if (left && left < now)
		now = left;
	else
		suspended += paused;
	return suspended < now ? now - suspended : 0;
}

/* Finds the innermost open call of the current stack: its thread's current wait belongs
 * to that. */
static races_by_design void find_waiting(struct lane_view *view, uint32_t first,
					 uint32_t depth)
{
	if (first > view->frame_capacity || depth > view->frame_capacity - first)
		return;
	while (depth-- && !view->waiting_node) {
		uint32_t node = read_number(&view->frames[first + depth].node);

		if (node > LANE_ROOT && node < view->node_count)
			view->waiting_node = node;
	}
}

static races_by_design void add_all_open(struct lane_view *view,
					 const struct segment_lane *lane, uint64_t now,
					 uint64_t paused)
{
	if (!read_word(&lane->left_ticks))
		find_waiting(view, 0, view->depth);
	add_open(view, 0, view->depth,
		 stack_now(now, read_word(&lane->suspended_ticks),
			   read_word(&lane->left_ticks), paused));
	for (uint32_t i = 0; i < view->fiber_count; i++) {
		const struct segment_fiber *fiber = &view->fibers[i];

		if (!read_number(&fiber->in_use))
			continue;
		if (!read_word(&fiber->left_ticks))
			find_waiting(view, read_number(&fiber->first_frame),
				     read_number(&fiber->depth));
		add_open(view, read_number(&fiber->first_frame),
			 read_number(&fiber->depth),
			 stack_now(now, read_word(&fiber->suspended_ticks),
				   read_word(&fiber->left_ticks), paused));
	}
}

/* Appends one entry; reserves pages as needed. */
static inline int add_path(struct history *history, uint64_t calls, uint32_t node,
			   uint64_t ticks)
{
	struct segment_array *array = &history->path_pasts;
	struct segment_path_past *pasts = arrays_entries(history->header, array);
	int result;

	if (array->count >= array->committed) {
		if (array->count >= array->capacity)
			return -ENOSPC;
		result = reserve(history, ARRAY_PATH_PASTS, array, array->count + 1);
		if (result < 0)
			return result;
	}
	pasts[array->count++] =
		(struct segment_path_past){calls << SEGMENT_PAST_NODE_BITS | node, ticks};
	return 0;
}

/* A node's waits in ns. */
struct waited {
	uint64_t ready_ns, blocked_ns, open_ns;
};

static cold races_by_design struct waited
waited_of(const struct lane_view *view, const struct history_lane *lane, uint32_t node)
{
	uint32_t number = read_number(&view->nodes[node].wait);
	struct waited waited = {.ready_ns = 0};

	if (node == view->waiting_node)
		waited.open_ns = lane->open_ns;
	if (number && number < view->wait_count) {
		waited.ready_ns = read_word(&view->waits[number].ready_ns);
		waited.blocked_ns = read_word(&view->waits[number].blocked_ns);
	}
	return waited;
}

static cold int add_waited(struct history *history, const struct waited *waited)
{
	const struct {
		uint64_t ns;
		uint32_t node;
	} entries[] = {{waited->ready_ns, SEGMENT_PAST_READY},
		       {waited->blocked_ns, SEGMENT_PAST_BLOCKED},
		       {waited->open_ns, SEGMENT_PAST_OPEN}};
	int result = 0;

	for (uint32_t i = 0; i < 3 && result == 0; i++)
		if (entries[i].ns)
			result = add_path(history, 0, entries[i].node, entries[i].ns);
	return result;
}

int history_copy_lane(struct history *history, const struct history_lane *lane,
		      uint64_t now)
{
	const struct history_memory *memory = lane->memory;
	struct lane_view view;
	int result = view_lane(lane, &view);
	uint32_t waiting_node;

	if (result == 0)
		result = add_path(history, lane->slot, 0, 0);
	if (result < 0)
		return result;
	add_all_open(&view, lane->header, now,
		     paused_ticks(history->process, lane->header, now));
	waiting_node = view.waiting_node;
	for (uint32_t i = LANE_ROOT + 1; i < view.node_count && result == 0; i++) {
		const struct segment_node *node = &view.nodes[i];
		uint64_t calls, ticks, unwound, sum;
		struct waited waited;
		int has_waited;

		if (!read_number(&node->function)) /* a return address, never entered */
			continue;
		calls = read_word(&node->call_count);
		ticks = read_word(&node->total_ticks);
		unwound = read_number(&node->unfinished) & SEGMENT_NODE_UNFINISHED_MOST;
		if (memory->open_ticks[i]) {
			ticks += memory->open_ticks[i];
			memory->open_ticks[i] = 0;
		}
		sum = calls + ticks + unwound;
		has_waited = read_number(&node->wait) || i == waiting_node;
		if (unlikely(has_waited)) {
			waited = waited_of(&view, lane, i);
			sum += waited.ready_ns + waited.blocked_ns;
		}
		if (sum == memory->sums[i])
			continue;
		memory->sums[i] = sum;
		result = add_path(history, calls, i, ticks);
		if (unwound && result == 0)
			result = add_path(history, unwound, SEGMENT_PAST_UNWOUND, 0);
		if (unlikely(has_waited) && result == 0)
			result = add_waited(history, &waited);
	}
	return result;
}

int history_append(struct history *history, const struct segment_path_past *from,
		   uint32_t count)
{
	struct segment_array *array = &history->path_pasts;
	struct segment_path_past *pasts = arrays_entries(history->header, array);
	int result;

	if (count > array->capacity - array->count)
		return -ENOSPC;
	result = reserve(history, ARRAY_PATH_PASTS, array, array->count + count);
	for (uint32_t i = 0; i < count && result == 0; i++)
		pasts[array->count++] = from[i];
	return result;
}

void history_end(struct history *history, struct segment_snapshot *snapshot, uint64_t now)
{
	struct segment_history *header = history->header;
	uint32_t number = ++history->taken;

	snapshot->ticks = now;
	snapshot->path_count = history->path_pasts.count - snapshot->path_first;
	header->path_pasts.count = history->path_pasts.count;
	header->snapshots.count = number;
	/* release: pairs with the acquire of site_catch_up() and of readers */
	__atomic_store_n(&history->process->snapshot_interval, number, __ATOMIC_RELEASE);
}

void history_forget(struct history_memory *memory, uint32_t node_count)
{
	for (uint32_t i = 0; i < node_count && i < memory->node_limit; i++)
		memory->sums[i] = memory->open_ticks[i] = 0;
}
