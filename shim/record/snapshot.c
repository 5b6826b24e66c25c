/* SPDX-License-Identifier: MIT */
/*
 * The process's book: made or mapped when it is needed, and written. Must not call libc;
 * wait for a process lock while signals are open.
 *
 * LOCKS. The snapshot lock is taken with signals blocked, and outermost; the process lock
 * inside of it, for a moment each. Whoever keeps a site holds that site, and may take the
 * process lock inside; nobody who holds the process lock asks for a site.
 */
#include "shim/record/snapshot.h"

#include <errno.h>
#include <fcntl.h>

#include "common/book.h"
#include "shim/core/clock.h"
#include "shim/core/gate.h"
#include "shim/record/lane.h"
#include "shim/core/process.h"
#include "shim/core/shared_slot.h"

/* Chains of free_ages by (site, born, freed). 256 Ki heads: with all 2 M entries taken a
 * chain has 8. */
#define AGE_HEADS (1u << 18)

/* Far more than a sound book has in a chain: its entries are no circle. */
#define AGE_STEPS 4096

/* About 50 ms. A snapshot takes milliseconds, more when its taker is not scheduled: with
 * 1 ms, three of 40 were refused on a busy machine. Who holds the lock for longer is
 * stopped, and is waited for once. */
#define LOCK_PAUSES 1000000

/* Where the book's arrays are, of which the file has a copy that others can write. Made
 * when the book is mapped; the same for all processes of a file. */
static struct segment_book layout;

static uint32_t slow_holder; /* of the lock, when it was last waited for in vain */

static void pause_taker(void)
{
	gate_pause(64);
}

static int begin_book(void *start, uint32_t slot)
{
	struct segment_book *book = start;
	int result = process_commit(book, slot, 0, sizeof(*book));

	if (result == 0)
		book_layout(book, process_facts.file->slot_size, process->slot);
	return result;
}

/* Maps the book, and makes it when make is set. Under the process lock. */
static struct segment_book *map_book(int make)
{
	uint32_t *number = &process->segment->book_slot;

	/* relaxed: shared_slot_map() looks again */
	if (!make && !__atomic_load_n(number, __ATOMIC_RELAXED))
		return NULL;
	return shared_slot_map(number, SEGMENT_SLOT_BOOK, begin_book);
}

static struct segment_book *find_book(int make)
{
	/* acquire: pairs with the release below */
	struct segment_book *book = __atomic_load_n(&process->book, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (book || !process_lock(&mask))
		return book;
	book = process->book;
	if (!book) {
		book = map_book(make);
		if (!layout.magic)
			book_layout(&layout, process_facts.file->slot_size, 0);
		__atomic_store_n(&process->book, book, __ATOMIC_RELEASE);
	}
	process_unlock(&mask);
	return book;
}

/* What is missing from here on: the snapshots after the site's or block's last one. */
static void is_incomplete(struct segment_book *book, uint32_t number)
{
	uint32_t expected = 0;

	/* the first one is kept, which is not always the lowest: readers drop a few more
	 * or less of a recording that is out of room, and count them */
	if (book)
		__atomic_compare_exchange_n(&book->incomplete_from, &expected, number, 0,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static int commit_book(void *data, uint64_t offset, uint64_t size)
{
	return process_commit(data, process->segment->book_slot, offset, size);
}

/* The next free entry of an array that many threads append to, or NULL: no room. */
static void *append(struct segment_book *book, enum array_number number,
		    uint32_t *ret_index)
{
	struct segment_array *array = arrays_in(book, number);
	const struct segment_array *at = arrays_in(&layout, number);
	/* relaxed: a number is all that is taken */
	uint32_t index = __atomic_fetch_add(&array->count, 1, __ATOMIC_RELAXED);
	int result = 0;
	uint64_t mask;

	*ret_index = index;
	/* acquire: pairs with the release in arrays_grow() */
	if (index >= at->capacity ||
	    index >= __atomic_load_n(&array->committed, __ATOMIC_ACQUIRE)) {
		if (index >= at->capacity || !process_lock(&mask))
			return NULL;
		result = arrays_grow(number, at, &array->committed, index + 1,
				     commit_book, book);
		process_unlock(&mask);
	}
	return result < 0 ? NULL
			  : (char *)arrays_entries(book, at) +
				    (uint64_t)index * array_kinds[number].entry_bytes;
}

void cold snapshot_keep_site(struct segment_site *site, uint32_t index, uint32_t interval)
{
	struct segment_book *book;
	struct segment_site_past *past;
	uint32_t unused;

	if (site->alloc_count) {
		book = find_book(0);
		past = book ? append(book, ARRAY_SITE_PASTS, &unused) : NULL;
		if (past) {
			past->first = (uint16_t)(site->interval + 1);
			past->last = (uint16_t)interval;
			past->alloc_count = site->alloc_count;
			past->alloc_bytes = site->alloc_bytes;
			past->free_count = site->free_count;
			past->free_bytes = site->free_bytes;
			/* release: an entry with its site is whole */
			__atomic_store_n(&past->site, index, __ATOMIC_RELEASE);
		} else {
			is_incomplete(book, site->interval + 1);
		}
	}
	site->interval = interval;
}

static uint32_t *age_heads(void)
{
	uint32_t *heads = __atomic_load_n(&process->age_heads, __ATOMIC_ACQUIRE);
	uint64_t mask;

	if (heads || !process_lock(&mask))
		return heads;
	if (!process->age_heads) {
		heads = process_map(AGE_HEADS * sizeof(*heads), 1);
		__atomic_store_n(&process->age_heads, heads, __ATOMIC_RELEASE);
		process_count(SEGMENT_COUNTER_TOOL_BYTES, AGE_HEADS * sizeof(*heads));
	}
	heads = process->age_heads;
	process_unlock(&mask);
	return heads;
}

static uint32_t hash_age(uint32_t site, uint32_t born, uint32_t freed)
{
	uint64_t key = (uint64_t)site << 24 | born << 12 | freed;

	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 46) & (AGE_HEADS - 1);
}

/* Two threads never add the same entry: it is the site's, which the caller has to itself.
 * Other sites' may come into the chain meanwhile. Index 0 is given away unused. */
static struct segment_free_age *find_age(struct segment_book *book, uint32_t *head,
					 uint32_t site, uint32_t born, uint32_t freed)
{
	struct segment_free_age *ages = arrays_entries(book, &layout.free_ages);
	uint32_t first = __atomic_load_n(head, __ATOMIC_ACQUIRE), index, steps = 0;
	struct segment_free_age *age;

	for (index = first; index; index = ages[index].next) {
		if (index >= layout.free_ages.capacity || steps++ == AGE_STEPS)
			return NULL;
		age = &ages[index];
		if (age->site == site && age->born == born && age->freed == freed)
			return age;
	}
	do {
		age = append(book, ARRAY_FREE_AGES, &index);
	} while (age && index == 0);
	if (!age)
		return NULL;
	age->born = (uint16_t)born;
	age->freed = (uint16_t)freed;
	do {
		age->next = first;
	} while (!__atomic_compare_exchange_n(head, &first, index, 0, __ATOMIC_RELEASE,
					      __ATOMIC_ACQUIRE));
	__atomic_store_n(&age->site, site, __ATOMIC_RELEASE);
	return age;
}

void cold snapshot_add_free(const struct shadow_block *block, uint32_t interval, int add)
{
	struct segment_book *book = find_book(0);
	uint32_t *heads = book ? age_heads() : NULL;
	struct segment_free_age *age =
		heads ? find_age(book,
				 &heads[hash_age(block->site, block->interval, interval)],
				 block->site, block->interval, interval)
		      : NULL;

	if (age) {
		age->free_count += (uint64_t)(int64_t)add;
		age->free_bytes += block->size_bytes * (uint64_t)(int64_t)add;
	} else {
		is_incomplete(book, block->interval + 1);
	}
}

/* Resident memory now; 0: not known. The second number of statm, in pages. */
static uint64_t resident_bytes(void)
{
	char text[128];
	uint64_t pages = 0;
	long fd, size, at = 0;

	if (!gate_enter())
		return 0;
	fd = SYSCALL(SYS_open, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
	size = fd < 0 ? 0 : SYSCALL(SYS_read, fd, text, sizeof(text), 0, 0, 0);
	if (fd >= 0)
		SYSCALL(SYS_close, fd, 0, 0, 0, 0, 0);
	gate_leave();
	while (at < size && text[at] != ' ')
		at++;
	for (at++; at < size && text[at] >= '0' && text[at] <= '9'; at++)
		pages = pages * 10 + (uint64_t)(text[at] - '0');
	return pages * 4096;
}

static int copy_lane(struct book *book, struct lane_context *context, uint64_t now)
{
	struct book_memory *memory = &context->snapshot_memory;
	struct book_lane lane = {context->lane, book->size, context->slot, memory};
	uint64_t bytes;
	int result;

	if (!memory->node_limit)
		memory->node_limit = context->lane->nodes.capacity;
	bytes = (uint64_t)memory->node_limit * sizeof(uint64_t);
	if (!memory->sums)
		memory->sums = process_map(bytes, 1);
	if (!memory->open_ticks)
		memory->open_ticks = process_map(bytes, 1);
	if (!memory->sums || !memory->open_ticks)
		return -ENOMEM;
	result = book_copy_lane(book, &lane, now);
	return result == -EINVAL ? 0 : result;
}

/* What has not become part of a snapshot is written by the next one. */
static void cancel(struct book *book, struct lane_context *lane)
{
	book_cancel(book);
	for (; lane; lane = lane->next_lane)
		if (lane->snapshot_memory.sums && lane->snapshot_memory.open_ticks)
			book_forget(&lane->snapshot_memory, lane->lane->nodes.count);
}

static void take(struct book *book, const char *label, enum segment_snapshot_cause cause)
{
	struct segment_snapshot *snapshot = book_begin(book, label, cause);
	/* acquire: lanes in the list are whole */
	struct lane_context *lanes = __atomic_load_n(&process->lanes, __ATOMIC_ACQUIRE);
	uint64_t now;
	int result = 0;

	if (!snapshot)
		return;
	snapshot->rss_bytes = resident_bytes();
	now = clock_now();
	for (struct lane_context *lane = lanes; lane && result == 0;
	     lane = lane->next_lane)
		result = copy_lane(book, lane, now);
	if (result < 0)
		cancel(book, lanes);
	else
		book_end(book, snapshot, now);
}

/* 0, or -EBUSY. A holder that does not come to an end, because it is stopped, is not
 * waited for again. */
static int lock_book(uint32_t *lock)
{
	/* relaxed: only a guess how long to wait */
	uint32_t holder = __atomic_load_n(lock, __ATOMIC_RELAXED);
	int is_slow = holder && holder == __atomic_load_n(&slow_holder, __ATOMIC_RELAXED);
	int result = book_lock(lock, SEGMENT_LOCK_THREAD, is_slow ? 0 : LOCK_PAUSES,
			       pause_taker);

	holder = __atomic_load_n(lock, __ATOMIC_RELAXED);
	if (result == 0 || holder == SEGMENT_LOCK_THREAD)
		holder = 0;
	__atomic_store_n(&slow_holder, holder, __ATOMIC_RELAXED);
	return result;
}

void snapshot_take(const char *label, enum segment_snapshot_cause cause)
{
	struct book book = {.commit = commit_book};
	uint64_t mask;

	if (!process)
		return;
	/* counts of a slot that another process had before begin with that one's */
	if ((!lane_is_live(lane_self) && lane_acquire() == &lane_none) ||
	    process->segment->tenancy) {
		process_count(SEGMENT_COUNTER_REFUSED_SNAPSHOTS, 1);
		return;
	}
	if (!gate_block_signals(&mask)) {
		process_count(SEGMENT_COUNTER_REFUSED_SNAPSHOTS, 1);
		return;
	}
	book.process = process->segment;
	book.size = process_facts.file->slot_size;
	if (lock_book(&book.process->snapshot_lock) == 0) {
		book.header = book.commit_data = find_book(1);
		if (book.header && book_open(&book) == 0)
			take(&book, label ? label : "", cause);
		else
			process_count(SEGMENT_COUNTER_REFUSED_SNAPSHOTS, 1);
		book_unlock(&book.process->snapshot_lock);
	} else {
		process_count(SEGMENT_COUNTER_REFUSED_SNAPSHOTS, 1);
	}
	gate_restore_signals(&mask);
}
