/* SPDX-License-Identifier: MIT */
/*
 * Copies a process's lanes into our own memory. Must not use a number of the file before
 * it was copied and checked against the file's size.
 */
#include "collector/live/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/live/control.h"
#include "collector/processes/ticks.h"
#include "common/base/xalloc.h"

static struct live_snapshot_lane *add_memory(struct live_snapshot_memory *memory,
					     uint32_t slot, uint32_t node_limit)
{
	size_t bytes = node_limit * 2 * sizeof(uint64_t);
	uint64_t *sums = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct live_snapshot_lane *lane;

	if (sums == MAP_FAILED)
		return NULL;
	lane = &ARRAY_ADD(memory->lanes, memory->count);
	*lane = (struct live_snapshot_lane){
		slot, {sums, sums + node_limit, node_limit}, bytes};
	return lane;
}

/* What is remembered of a lane, valid until the next call; NULL: no memory. */
static const struct history_memory *
live_snapshot_remember(struct live_snapshot_memory *memory, uint32_t slot,
		       uint32_t node_limit)
{
	const struct live_snapshot_lane *lane = NULL;

	for (size_t i = 0; i < memory->count && !lane; i++) {
		size_t at = (memory->next + i) % memory->count;

		if (memory->lanes[at].slot == slot) {
			lane = &memory->lanes[at];
			memory->next = at + 1;
		}
	}
	if (!lane)
		lane = add_memory(memory, slot, node_limit);
	return lane ? &lane->memory : NULL;
}

void live_snapshot_forget(struct live_snapshot_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		munmap(memory->lanes[i].memory.sums, memory->lanes[i].bytes);
	free(memory->lanes);
	*memory = (struct live_snapshot_memory){.count = 0};
}

/*
 * A segment file as mapped by whoever takes a snapshot from outside. Runs on: one thread;
 * see control.h. Must not trust more of it than stated here: the process may be
 * anybody's, and writes the file meanwhile.
 */

static void *map(const struct taker *taker, uint64_t offset, uint64_t size)
{
	if (offset > taker->file_size || size > taker->file_size - offset)
		return NULL;
	return shared_map(taker->fd, offset, size, PROT_READ | PROT_WRITE);
}

static uint32_t taker_slot_count(const struct taker *taker)
{
	uint32_t count = __atomic_load_n(&taker->file->slot_count, __ATOMIC_ACQUIRE);

	return count < taker->slot_limit ? count : taker->slot_limit;
}

void *taker_map_slot(const struct taker *taker, uint32_t slot, uint64_t size)
{
	if (slot == 0 || slot >= taker_slot_count(taker) || size > taker->slot_size)
		return NULL;
	return map(taker, slot * taker->slot_size, size);
}

int taker_unmap(const void *start)
{
	int result = shared_map_is_lost(start) ? -EIO : 0;

	shared_unmap(start);
	return result;
}

int taker_open(struct taker *taker, int fd, uint32_t process_slot)
{
	struct stat status;

	*taker = (struct taker){.fd = fd, .process_slot = process_slot};
	if (fstat(fd, &status) < 0)
		return -errno;
	if (!S_ISREG(status.st_mode))
		return -EINVAL;
	taker->file_size = (uint64_t)status.st_size;
	taker->file = map(taker, 0, sizeof(*taker->file));
	if (!taker->file)
		return -EINVAL;
	taker->slot_size = __atomic_load_n(&taker->file->slot_size, __ATOMIC_RELAXED);
	taker->slot_limit = __atomic_load_n(&taker->file->slot_limit, __ATOMIC_RELAXED);
	if (taker->file->magic != SEGMENT_MAGIC_FILE ||
	    taker->file->version != SEGMENT_VERSION || taker->slot_size < 1 << 20 ||
	    taker->slot_size % 4096 || taker->slot_size > SEGMENT_SLOT_BYTES_MOST ||
	    taker->slot_limit > SEGMENT_SLOT_LIMIT)
		return -EINVAL;
	taker->process = taker_map_slot(taker, process_slot, sizeof(*taker->process));
	return taker->process && taker->process->magic == SEGMENT_MAGIC_PROCESS ? 0
										: -EINVAL;
}

int taker_close(struct taker *taker, int result)
{
	if (taker_unmap(taker->process) < 0)
		result = -EIO;
	if (taker_unmap(taker->file) < 0)
		result = -EIO;
	return result;
}

int taker_reserve(const struct taker *taker, uint64_t offset, uint64_t size)
{
	return fallocate(taker->fd, 0, (off_t)offset, (off_t)size) < 0 ? -errno : 0;
}

/* 16,000 threads with a million paths take less than this. */
#define LONGEST_NS 5000000000ull

/* A smaller history has no room for paths. */
#define SIZE_LEAST (16ull << 20)

/* A history has this many bits for a node's number. */
#define NODE_LIMIT SEGMENT_PAST_NODES

/* How many nodes of the lane may be stored. A file can have terabytes of holes. */
static uint32_t stored_nodes(const struct taker *taker, uint32_t slot,
			     const struct segment_array *nodes)
{
	uint64_t start = slot * taker->slot_size + nodes->offset, count;
	off_t end = lseek(taker->fd, (off_t)start, SEEK_HOLE);

	if (end < (off_t)start)
		return 0;
	count = ((uint64_t)end - start) / sizeof(struct segment_node);
	return count < nodes->capacity ? (uint32_t)count : nodes->capacity;
}

/* How long, in ns, a lane's thread has been without a CPU since its last hook. While it
 * runs, its CPU clock is updated late, usually by 4 ms. */
static uint64_t open_ns(const struct draft *draft, const struct segment_lane *lane)
{
	struct history_booked booked = history_read_booked(lane);
	uint64_t wall_ns = ticks_monotonic_ns();
	char path[40], text[80];
	ssize_t length;
	int file;

	if (booked.tid <= 0 || draft->threads < 0)
		return 0;
	snprintf(path, sizeof(path), "%d/schedstat", booked.tid);
	file = openat(draft->threads, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	if (length <= 0)
		return 0;
	text[length] = 0;
	return history_open_ns(lane, &booked, wall_ns, strtoull(text, NULL, 10));
}

static int copy_lane(struct draft *draft, uint32_t slot, uint64_t now)
{
	const struct segment_lane *header =
		taker_map_slot(draft->taker, slot, draft->taker->slot_size);
	const struct history_memory *kept;
	struct history_memory memory;
	struct history_lane lane = {.header = header,
				    .size = draft->taker->slot_size,
				    .slot = slot,
				    .memory = &memory};
	struct segment_array nodes;
	int result = 0, lost;
	uint32_t stored;

	if (!header)
		return -EINVAL;
	arrays_read(header, ARRAY_NODES, draft->taker->slot_size, &nodes);
	if (nodes.capacity > NODE_LIMIT)
		nodes.capacity = NODE_LIMIT;
	if (header->magic == SEGMENT_MAGIC_LANE && nodes.capacity) {
		kept = live_snapshot_remember(draft->memory, slot, nodes.capacity);
		memory = kept ? *kept : (struct history_memory){.node_limit = 0};
		stored = stored_nodes(draft->taker, slot, &nodes);
		if (stored < memory.node_limit)
			memory.node_limit = stored;
		lane.open_ns = open_ns(draft, header);
		result = kept ? history_copy_lane(&draft->history, &lane, now) : -ENOMEM;
	}
	lost = taker_unmap(header);
	if (lost < 0)
		return lost;
	return result == -EINVAL ? 0 : result; /* leaves out that lane */
}

static int copy_lanes(struct draft *draft, uint64_t now)
{
	uint64_t last_ns = ticks_monotonic_ns() + LONGEST_NS;
	int result = 0;

	for (uint32_t i = 1; i < taker_slot_count(draft->taker) && result == 0; i++) {
		const struct segment_slot *slot = &draft->taker->file->slots[i];

		if (__atomic_load_n(&slot->kind, __ATOMIC_ACQUIRE) != SEGMENT_SLOT_LANE ||
		    slot->process_slot != draft->taker->process_slot)
			continue;
		result = copy_lane(draft, i, now);
		if (result == 0 && ticks_monotonic_ns() > last_ns)
			result = -ETIME;
	}
	return result;
}

/* Makes reserved addresses usable. They do not count where the kernel refuses to
 * overcommit memory. */
static int commit(void *data, uint64_t offset, uint64_t size)
{
	const struct draft *draft = data;
	uint64_t first = offset & ~4095ull;
	char *start = (char *)draft->history.header + first;

	return mprotect(start, offset + size - first, PROT_READ | PROT_WRITE) < 0 ? -errno
										  : 0;
}

static int reserve(struct draft *draft)
{
	struct history *history = &draft->history;
	void *start = mmap(NULL, history->size, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	int result;

	if (start == MAP_FAILED)
		return -errno;
	history->header = start;
	result = commit(draft, 0, sizeof(*history->header));
	if (result < 0)
		return result;
	history_layout(start, history->size, draft->taker->process_slot);
	return history_open(history);
}

int draft_copy(struct draft *draft, const struct taker *taker, uint64_t now,
	       struct live_snapshot_memory *memory)
{
	char path[40];
	int result;

	*draft = (struct draft){.taker = taker, .memory = memory, .threads = -1};
	draft->history = (struct history){
		.process = taker->process,
		.size = taker->slot_size < SIZE_LEAST ? SIZE_LEAST : taker->slot_size,
		.commit = commit,
		.commit_data = draft};
	result = reserve(draft);
	if (result < 0)
		return result;
	snprintf(path, sizeof(path), "/proc/%d/task", taker->process->pid);
	draft->threads = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	result = copy_lanes(draft, now);
	if (draft->threads >= 0)
		close(draft->threads);
	return result;
}

void draft_done(struct draft *draft)
{
	if (draft->history.header)
		munmap(draft->history.header, draft->history.size);
}
