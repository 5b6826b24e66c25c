/* SPDX-License-Identifier: MIT */
/*
 * What this is:  taking a snapshot: the lock, the record, calls and times of the lanes.
 * Runs on:       any thread and context, inside and outside of the traced program.
 * Must not:      call libc; believe a lane's counts (it may be another process's).
 * See also:      common/book.h
 */
#include "common/book.h"

#include <errno.h>
#include <stddef.h>

#include "common/attributes.h"

#define LANE_ROOT 1u

/* Shares of the slot, in sixteenths; the snapshots themselves take less than one. For
 * the usual slot of 256 MiB: 1.6 M changes of sites, 2 M of survivors, 6.3 M of paths. */
#define SITE_SHARE 4
#define FREE_SHARE 4
#define PATH_SHARE 6

#define MORE_SNAPSHOTS 32u
#define MORE_PATHS 4096u

int book_lock(struct segment_process *process, int pauses, book_pause *pause)
{
	/* acquire: pairs with the release in book_unlock(); orders the book */
	while (__atomic_exchange_n(&process->snapshot_lock, 1, __ATOMIC_ACQUIRE)) {
		if (pauses-- <= 0)
			return -EBUSY;
		pause();
	}
	return 0;
}

void book_unlock(struct segment_process *process)
{
	__atomic_store_n(&process->snapshot_lock, 0, __ATOMIC_RELEASE);
}

static uint64_t lay_out(struct segment_book_array *array, uint64_t offset, uint64_t size,
			uint64_t entry_size)
{
	array->offset = offset;
	array->capacity = (uint32_t)(size / entry_size);
	return (offset + size + 63) & ~63ull;
}

void book_layout(struct segment_book *header, uint64_t slot_size, uint32_t process_slot)
{
	uint64_t offset = 4096, share = (slot_size - 8192) / 16;
	uint64_t snapshots = SEGMENT_SNAPSHOT_LIMIT * sizeof(struct segment_snapshot);

	offset = lay_out(&header->snapshots, offset, snapshots,
			 sizeof(struct segment_snapshot));
	offset = lay_out(&header->site_pasts, offset, SITE_SHARE * share,
			 sizeof(struct segment_site_past));
	offset = lay_out(&header->free_ages, offset, FREE_SHARE * share,
			 sizeof(struct segment_free_age));
	lay_out(&header->path_pasts, offset, PATH_SHARE * share,
		sizeof(struct segment_path_past));
	header->process_slot = process_slot;
	header->magic = SEGMENT_MAGIC_BOOK;
}

static void *entries(const struct book *book, const struct segment_book_array *array)
{
	return (char *)book->header + array->offset;
}

static void refuse(struct book *book)
{
	__atomic_fetch_add(&book->process->counters[SEGMENT_COUNTER_REFUSED_SNAPSHOTS], 1,
			   __ATOMIC_RELAXED);
}

/* Pages for entries [0, count) of an array that only takers write. */
static int reserve(struct book *book, struct segment_book_array *array, uint64_t count,
		   uint64_t entry_size)
{
	int result;

	if (count <= array->committed)
		return 0;
	if (count > array->capacity)
		return -ENOSPC;
	result = book->commit(book->commit_data,
			      array->offset + array->committed * entry_size,
			      (count - array->committed) * entry_size);
	if (result == 0)
		array->committed = (uint32_t)count;
	return result;
}

struct segment_snapshot *book_begin(struct book *book, const char *label,
				    enum segment_snapshot_cause cause)
{
	struct segment_book *header = book->header;
	uint32_t taken = book->process->snapshot_interval;
	uint64_t wanted = taken + MORE_SNAPSHOTS;
	struct segment_snapshot *snapshot;

	if (wanted > header->snapshots.capacity)
		wanted = header->snapshots.capacity;
	if (taken >= header->snapshots.capacity ||
	    __atomic_load_n(&header->incomplete_from, __ATOMIC_RELAXED) ||
	    (taken >= header->snapshots.committed &&
	     reserve(book, &header->snapshots, wanted, sizeof(*snapshot)) < 0)) {
		refuse(book);
		return NULL;
	}
	snapshot = (struct segment_snapshot *)entries(book, &header->snapshots) + taken;
	for (uint32_t i = 0; i < sizeof(snapshot->label); i++)
		snapshot->label[i] = 0;
	for (uint32_t i = 0; i + 1 < sizeof(snapshot->label) && label[i]; i++)
		snapshot->label[i] = label[i];
	snapshot->cause = cause;
	snapshot->rss_bytes = 0;
	snapshot->path_first = header->path_pasts.count;
	snapshot->path_count = 0;
	return snapshot;
}

/* Adds the time so far of the open frames of one stack. A frame that ends meanwhile, in
 * another thread, may be counted twice or not at all. */
static races_by_design void add_open(const struct segment_lane *lane, uint32_t first,
				     uint64_t depth, uint64_t end_ticks,
				     uint64_t *open_ticks, uint32_t node_count)
{
	const struct segment_frame *frames =
		(const void *)((const char *)lane + lane->frame_offset);

	if (first > lane->frame_capacity || depth > lane->frame_capacity - first)
		return;
	for (const struct segment_frame *frame = frames + first;
	     frame < frames + first + depth; frame++) {
		uint32_t node = __atomic_load_n(&frame->node, __ATOMIC_RELAXED);
		uint64_t start = __atomic_load_n(&frame->start_ticks, __ATOMIC_RELAXED);

		if (node > LANE_ROOT && node < node_count && start < end_ticks)
			open_ticks[node] += end_ticks - start;
	}
}

/* Now, on the clock of a stack that was suspended for so long, and left. */
static uint64_t stack_now(uint64_t now, uint64_t suspended, uint64_t left)
{
	if (left && left < now)
		now = left;
	return suspended < now ? now - suspended : 0;
}

static races_by_design void add_all_open(const struct segment_lane *lane, uint64_t now,
					 uint64_t *open_ticks, uint32_t node_count)
{
	const struct segment_fiber *fibers =
		(const void *)((const char *)lane + lane->fiber_offset);
	uint32_t count = __atomic_load_n(&lane->fiber_count, __ATOMIC_ACQUIRE);

	add_open(lane, 0, __atomic_load_n(&lane->depth, __ATOMIC_RELAXED),
		 stack_now(now, lane->suspended_ticks, lane->left_ticks), open_ticks,
		 node_count);
	for (uint32_t i = 0; i < count && i < lane->fiber_capacity; i++) {
		const struct segment_fiber *fiber = &fibers[i];

		if (fiber->in_use)
			add_open(
				lane, fiber->first_frame, fiber->depth,
				stack_now(now, fiber->suspended_ticks, fiber->left_ticks),
				open_ticks, node_count);
	}
}

/* Appends one entry; pages are reserved as they are needed. */
static inline int add_path(struct book *book, uint64_t calls, uint32_t node,
			   uint64_t ticks)
{
	struct segment_book_array *array = &book->header->path_pasts;
	struct segment_path_past *pasts = entries(book, array);
	uint64_t wanted = array->count + (uint64_t)MORE_PATHS;
	int result;

	if (array->count >= array->committed) {
		if (wanted > array->capacity)
			wanted = array->capacity;
		if (array->count >= array->capacity)
			return -ENOSPC;
		result = reserve(book, array, wanted, sizeof(*pasts));
		if (result < 0)
			return result;
	}
	pasts[array->count++] =
		(struct segment_path_past){calls << SEGMENT_PAST_NODE_BITS | node, ticks};
	return 0;
}

static races_by_design uint64_t read_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

int book_copy_lane(struct book *book, const struct segment_lane *lane, uint32_t lane_slot,
		   uint64_t now, const struct book_memory *memory)
{
	const struct segment_node *nodes =
		(const void *)((const char *)lane + lane->node_offset);
	/* acquire: the nodes below the count are whole */
	uint32_t count = __atomic_load_n(&lane->node_count, __ATOMIC_ACQUIRE);
	int result;

	if (count > lane->node_capacity)
		count = lane->node_capacity;
	result = add_path(book, lane_slot, 0, 0);
	add_all_open(lane, now, memory->open_ticks, count);
	for (uint32_t i = LANE_ROOT + 1; i < count && result == 0; i++) {
		const struct segment_node *node = &nodes[i];
		uint64_t calls, ticks;

		if (!node->function) /* a call's return address: never entered */
			continue;
		calls = read_word(&node->call_count);
		ticks = read_word(&node->total_ticks);
		if (memory->open_ticks[i]) {
			ticks += memory->open_ticks[i];
			memory->open_ticks[i] = 0;
		}
		if (calls + ticks == memory->sums[i])
			continue;
		memory->sums[i] = calls + ticks;
		result = add_path(book, calls, i, ticks);
	}
	return result;
}

void book_end(struct book *book, struct segment_snapshot *snapshot, uint64_t now)
{
	struct segment_book *header = book->header;
	uint32_t number = book->process->snapshot_interval + 1;

	snapshot->ticks = now;
	snapshot->path_count = header->path_pasts.count - snapshot->path_first;
	header->snapshots.count = number;
	/* release: pairs with the acquire of site_catch_up() and of readers */
	__atomic_store_n(&book->process->snapshot_interval, number, __ATOMIC_RELEASE);
}

void book_cancel(struct book *book, const struct segment_snapshot *snapshot)
{
	book->header->path_pasts.count = snapshot->path_first;
	refuse(book);
}
