/* SPDX-License-Identifier: MIT */
/*
 * What this is:  taking a snapshot from outside.
 * Runs on:       the collector's main thread; prof-analyze.
 * Must not:      follow a slot number that was not compared with the file.
 * See also:      shim/collector/take.h
 */
#include "shim/collector/take.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "shim/collector/array.h"

#define LOCK_PAUSES 200
#define PAUSE_NS 1000000

struct taker {
	int fd;
	uint64_t file_size, slot_size;
	uint32_t process_slot, book_slot;
	struct segment_file *file;
	struct book book;
	struct take_memory *memory;
};

static void pause_taker(void)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};

	nanosleep(&pause, NULL);
}

static void *map(const struct taker *taker, uint64_t offset, uint64_t size,
		 int protection)
{
	void *start;

	if (offset > taker->file_size || size > taker->file_size - offset)
		return NULL;
	start = mmap(NULL, size, protection, MAP_SHARED, taker->fd, (off_t)offset);
	return start == MAP_FAILED ? NULL : start;
}

static uint32_t slot_count(const struct taker *taker)
{
	uint32_t count = __atomic_load_n(&taker->file->slot_count, __ATOMIC_ACQUIRE);

	return count < taker->file->slot_limit ? count : taker->file->slot_limit;
}

static void *map_slot(const struct taker *taker, uint32_t slot, int protection)
{
	if (slot == 0 || slot >= slot_count(taker))
		return NULL;
	return map(taker, slot * taker->slot_size, taker->slot_size, protection);
}

static void unmap_slot(const struct taker *taker, const void *slot)
{
	if (slot)
		munmap((void *)slot, taker->slot_size);
}

static int open_file(struct taker *taker)
{
	struct stat status;

	if (fstat(taker->fd, &status) < 0)
		return -errno;
	taker->file_size = (uint64_t)status.st_size;
	taker->file = map(taker, 0, sizeof(*taker->file), PROT_READ | PROT_WRITE);
	if (!taker->file)
		return -EINVAL;
	taker->slot_size = taker->file->slot_size;
	if (taker->file->magic != SEGMENT_MAGIC_FILE ||
	    taker->file->version != SEGMENT_VERSION || taker->slot_size < 1 << 20 ||
	    taker->slot_size % 4096 || taker->slot_size > taker->file_size ||
	    taker->file->slot_limit > SEGMENT_SLOT_LIMIT)
		return -EINVAL;
	taker->book.process =
		map_slot(taker, taker->process_slot, PROT_READ | PROT_WRITE);
	return taker->book.process && taker->book.process->magic == SEGMENT_MAGIC_PROCESS
		       ? 0
		       : -EINVAL;
}

static void close_file(struct taker *taker)
{
	unmap_slot(taker, taker->book.header);
	unmap_slot(taker, taker->book.process);
	if (taker->file)
		munmap(taker->file, sizeof(*taker->file));
}

static int reserve(const struct taker *taker, uint64_t offset, uint64_t size)
{
	return fallocate(taker->fd, 0, (off_t)offset, (off_t)size) < 0 ? -errno : 0;
}

static int commit_book(void *data, uint64_t offset, uint64_t size)
{
	const struct taker *taker = data;

	return reserve(taker, taker->book_slot * taker->slot_size + offset, size);
}

/* A slot for the book. The process will map it when it needs it. */
static int make_book(struct taker *taker)
{
	struct segment_file *file = taker->file;
	uint32_t slot = __atomic_fetch_add(&file->slot_count, 1, __ATOMIC_RELAXED);
	struct segment_process *process = taker->book.process;
	struct segment_book *book;
	uint32_t expected = 0;
	int result;

	if (slot >= file->slot_limit)
		return -ENOSPC;
	result = reserve(taker, offsetof(struct segment_file, slots[slot]),
			 sizeof(file->slots[slot]));
	if (result == 0)
		result = reserve(taker, slot * taker->slot_size, sizeof(*book));
	if (result < 0)
		return result;
	book = map_slot(taker, slot, PROT_READ | PROT_WRITE);
	if (!book)
		return -ENOMEM;
	book_layout(book, taker->slot_size, taker->process_slot);
	file->slots[slot].pid = process->pid;
	file->slots[slot].process_slot = taker->process_slot;
	/* release: pairs with the readers' acquire of kind; the book is laid out */
	__atomic_store_n(&file->slots[slot].kind, SEGMENT_SLOT_BOOK, __ATOMIC_RELEASE);
	/* the process may have been quicker: then this one stays empty */
	__atomic_compare_exchange_n(&process->book_slot, &expected, slot, 0,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	unmap_slot(taker, book);
	return 0;
}

static int open_book(struct taker *taker)
{
	struct segment_process *process = taker->book.process;
	int result = 0;

	if (!__atomic_load_n(&process->book_slot, __ATOMIC_ACQUIRE))
		result = make_book(taker);
	if (result < 0)
		return result;
	taker->book_slot = __atomic_load_n(&process->book_slot, __ATOMIC_ACQUIRE);
	taker->book.header = map_slot(taker, taker->book_slot, PROT_READ | PROT_WRITE);
	taker->book.commit = commit_book;
	taker->book.commit_data = taker;
	if (!taker->book.header)
		return -ENOMEM;
	return taker->book.header->magic == SEGMENT_MAGIC_BOOK ? 0 : -EINVAL;
}

/* What is remembered of a lane; NULL: no memory. */
static struct book_memory *memory_of(struct take_memory *memory, uint32_t slot,
				     uint32_t node_capacity)
{
	size_t bytes = (node_capacity + 1ull) * 2 * sizeof(uint64_t);
	struct take_lane *lanes;
	uint64_t *sums;

	for (size_t i = 0; i < memory->count; i++) {
		if (memory->lanes[i].slot == slot)
			return memory->lanes[i].bytes == bytes ? &memory->lanes[i].memory
							       : NULL;
	}
	lanes = array_room(memory->lanes, memory->count, sizeof(*lanes));
	if (!lanes)
		return NULL;
	memory->lanes = lanes;
	sums = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (sums == MAP_FAILED)
		return NULL;
	lanes += memory->count++;
	*lanes = (struct take_lane){slot, {sums, sums + node_capacity + 1}, bytes};
	return &lanes->memory;
}

/* Do the lane's arrays lie inside of its slot? */
static int is_whole(const struct taker *taker, const struct segment_lane *lane)
{
	uint64_t size = taker->slot_size;

	return lane->magic == SEGMENT_MAGIC_LANE && lane->node_offset <= size &&
	       lane->frame_offset <= size && lane->fiber_offset <= size &&
	       (size - lane->node_offset) / sizeof(struct segment_node) >=
		       lane->node_capacity &&
	       (size - lane->frame_offset) / sizeof(struct segment_frame) >=
		       lane->frame_capacity &&
	       (size - lane->fiber_offset) / sizeof(struct segment_fiber) >=
		       lane->fiber_capacity;
}

static int copy_lane(struct taker *taker, uint32_t slot, uint64_t now)
{
	const struct segment_lane *lane = map_slot(taker, slot, PROT_READ);
	struct book_memory *memory;
	int result = 0;

	if (!lane)
		return -ENOMEM;
	if (is_whole(taker, lane)) {
		memory = memory_of(taker->memory, slot, lane->node_capacity);
		result = memory ? book_copy_lane(&taker->book, lane, slot, now, memory)
				: -ENOMEM;
	}
	unmap_slot(taker, lane);
	return result;
}

static uint64_t resident_bytes(int32_t pid)
{
	unsigned long long total, resident = 0;
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/statm", pid);
	file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu %llu", &total, &resident) != 2)
		resident = 0;
	fclose(file);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int take(struct taker *taker, const char *label, enum segment_snapshot_cause cause,
		uint64_t now)
{
	struct segment_snapshot *snapshot;
	int result = open_book(taker);

	if (result < 0)
		return result;
	snapshot = book_begin(&taker->book, label, cause);
	if (!snapshot)
		return -ENOSPC;
	snapshot->rss_bytes = resident_bytes(taker->book.process->pid);
	for (uint32_t i = 1; i < slot_count(taker) && result == 0; i++) {
		const struct segment_slot *slot = &taker->file->slots[i];

		if (__atomic_load_n(&slot->kind, __ATOMIC_ACQUIRE) == SEGMENT_SLOT_LANE &&
		    slot->process_slot == taker->process_slot)
			result = copy_lane(taker, i, now);
	}
	if (result < 0)
		book_cancel(&taker->book, snapshot);
	else
		book_end(&taker->book, snapshot, now);
	return result;
}

int take_snapshot(int fd, uint32_t process_slot, const char *label,
		  enum segment_snapshot_cause cause, uint64_t now,
		  struct take_memory *memory)
{
	struct taker taker = {.fd = fd, .process_slot = process_slot, .memory = memory};
	int result = open_file(&taker);

	if (result == 0)
		result = book_lock(taker.book.process, LOCK_PAUSES, pause_taker);
	if (result == 0) {
		result = take(&taker, label, cause, now);
		book_unlock(taker.book.process);
	}
	close_file(&taker);
	return result;
}

void take_forget(struct take_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		munmap(memory->lanes[i].memory.sums, memory->lanes[i].bytes);
	free(memory->lanes);
	*memory = (struct take_memory){.count = 0};
}
