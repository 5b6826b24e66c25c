/* SPDX-License-Identifier: MIT */
/*
 * Taking a snapshot from outside. Must not use a number of the file that was not copied
 * and then checked against the file's size: the process may be anybody's, and writes it
 * meanwhile.
 */
#include "collector/live/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/array.h"
#include "collector/live/shared_map.h"
#include "collector/live/snapshot_lock.h"
#include "collector/processes/ticks.h"

/* 16,000 threads with a million paths take less. */
#define LONGEST_NS 5000000000ull

/* A node's number has so many bits in the history. */
#define NODE_LIMIT SEGMENT_PAST_NODES

struct taker {
	int fd;
	uint64_t file_size, slot_size; /* checked, as is slot_limit */
	uint32_t slot_limit, process_slot, history_slot;
	struct segment_file *file;
	struct history history;
	int threads; /* /proc/PID/task, -1: not to be had */
	struct live_snapshot_memory *memory;
};

static void *map(const struct taker *taker, uint64_t offset, uint64_t size)
{
	if (offset > taker->file_size || size > taker->file_size - offset)
		return NULL;
	return shared_map(taker->fd, offset, size, PROT_READ | PROT_WRITE);
}

static uint32_t slot_count(const struct taker *taker)
{
	uint32_t count = __atomic_load_n(&taker->file->slot_count, __ATOMIC_ACQUIRE);

	return count < taker->slot_limit ? count : taker->slot_limit;
}

/* The first size bytes of a slot. */
static void *map_slot(const struct taker *taker, uint32_t slot, uint64_t size)
{
	if (slot == 0 || slot >= slot_count(taker) || size > taker->slot_size)
		return NULL;
	return map(taker, slot * taker->slot_size, size);
}

/* 0, or -EIO: what was read there, or written, is nothing. */
static int unmap(const void *start)
{
	int result = shared_map_is_lost(start) ? -EIO : 0;

	shared_unmap(start);
	return result;
}

static int open_file(struct taker *taker)
{
	struct segment_process *process;
	struct stat status;

	if (fstat(taker->fd, &status) < 0)
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
	process = map_slot(taker, taker->process_slot, sizeof(*process));
	taker->history.process = process;
	return process && process->magic == SEGMENT_MAGIC_PROCESS ? 0 : -EINVAL;
}

static int close_file(struct taker *taker, int result)
{
	const void *mappings[] = {taker->history.header, taker->history.process,
				  taker->file};

	for (size_t i = 0; i < sizeof(mappings) / sizeof(mappings[0]); i++)
		if (unmap(mappings[i]) < 0)
			result = -EIO;
	return result;
}

static int reserve(const struct taker *taker, uint64_t offset, uint64_t size)
{
	return fallocate(taker->fd, 0, (off_t)offset, (off_t)size) < 0 ? -errno : 0;
}

static int commit_history(void *data, uint64_t offset, uint64_t size)
{
	const struct taker *taker = data;

	return reserve(taker, taker->history_slot * taker->slot_size + offset, size);
}

/* A slot for the history. The process will map it when it needs it. */
static int make_history(struct taker *taker)
{
	struct segment_file *file = taker->file;
	uint32_t slot = __atomic_fetch_add(&file->slot_count, 1, __ATOMIC_RELAXED);
	struct segment_process *process = taker->history.process;
	struct segment_history *history;
	uint32_t expected = 0;
	int result;

	if (slot == 0 || slot >= taker->slot_limit)
		return -ENOSPC;
	result = reserve(taker, offsetof(struct segment_file, slots[slot]),
			 sizeof(file->slots[slot]));
	if (result == 0)
		result = reserve(taker, slot * taker->slot_size, sizeof(*history));
	if (result < 0)
		return result;
	history = map(taker, slot * taker->slot_size, sizeof(*history));
	if (!history)
		return -ENOMEM;
	history_layout(history, taker->slot_size, taker->process_slot);
	file->slots[slot].pid = process->pid;
	file->slots[slot].process_slot = taker->process_slot;
	/* release: pairs with the readers' acquire of kind; the history is laid out */
	__atomic_store_n(&file->slots[slot].kind, SEGMENT_SLOT_HISTORY, __ATOMIC_RELEASE);
	/* the process may have been quicker: then this one stays empty */
	__atomic_compare_exchange_n(&process->history_slot, &expected, slot, 0,
				    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	return unmap(history);
}

static int open_history(struct taker *taker)
{
	struct segment_process *process = taker->history.process;
	int result = 0;

	if (!__atomic_load_n(&process->history_slot, __ATOMIC_ACQUIRE))
		result = make_history(taker);
	if (result < 0)
		return result;
	taker->history_slot = __atomic_load_n(&process->history_slot, __ATOMIC_ACQUIRE);
	taker->history.header = map_slot(taker, taker->history_slot, taker->slot_size);
	taker->history.size = taker->slot_size;
	taker->history.commit = commit_history;
	taker->history.commit_data = taker;
	return taker->history.header ? history_open(&taker->history) : -EINVAL;
}

static struct live_snapshot_lane *add_memory(struct live_snapshot_memory *memory,
					     uint32_t slot, uint32_t node_limit)
{
	size_t bytes = node_limit * 2 * sizeof(uint64_t);
	uint64_t *sums = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct live_snapshot_lane *lane;

	if (sums == MAP_FAILED)
		return NULL;
	memory->lanes = array_room(memory->lanes, memory->count, sizeof(*lane));
	lane = &memory->lanes[memory->count++];
	*lane = (struct live_snapshot_lane){
		slot, {sums, sums + node_limit, node_limit}, bytes};
	return lane;
}

/* What is remembered of a lane; NULL: no memory. */
static const struct history_memory *memory_of(struct live_snapshot_memory *memory,
					      uint32_t slot, uint32_t node_limit)
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

/* How many nodes of the lane may be there: holes, which a file can have terabytes of, are
 * not worth a look. */
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

/* What a lane's thread has been without a CPU since its last hook. While it has one its
 * CPU clock is told with a delay, of 4 ms as a rule. */
static uint64_t open_ns(const struct taker *taker, const struct segment_lane *lane)
{
	struct history_booked booked = history_read_booked(lane);
	uint64_t wall_ns = ticks_monotonic_ns();
	char path[40], text[80];
	ssize_t length;
	int file;

	if (booked.tid <= 0 || taker->threads < 0)
		return 0;
	snprintf(path, sizeof(path), "%d/schedstat", booked.tid);
	file = openat(taker->threads, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return 0;
	length = read(file, text, sizeof(text) - 1);
	close(file);
	if (length <= 0)
		return 0;
	text[length] = 0;
	return history_open_ns(lane, &booked, wall_ns, strtoull(text, NULL, 10));
}

static int copy_lane(struct taker *taker, uint32_t slot, uint64_t now)
{
	const struct segment_lane *header = map_slot(taker, slot, taker->slot_size);
	const struct history_memory *kept;
	struct history_memory memory;
	struct history_lane lane = {.header = header,
				    .size = taker->slot_size,
				    .slot = slot,
				    .memory = &memory};
	struct segment_array nodes;
	int result = 0, lost;
	uint32_t stored;

	if (!header)
		return -EINVAL;
	arrays_read(header, ARRAY_NODES, taker->slot_size, &nodes);
	if (nodes.capacity > NODE_LIMIT)
		nodes.capacity = NODE_LIMIT;
	if (header->magic == SEGMENT_MAGIC_LANE && nodes.capacity) {
		kept = memory_of(taker->memory, slot, nodes.capacity);
		memory = kept ? *kept : (struct history_memory){.node_limit = 0};
		stored = stored_nodes(taker, slot, &nodes);
		if (stored < memory.node_limit)
			memory.node_limit = stored;
		lane.open_ns = open_ns(taker, header);
		result = kept ? history_copy_lane(&taker->history, &lane, now) : -ENOMEM;
	}
	lost = unmap(header);
	if (lost < 0)
		return lost;
	return result == -EINVAL ? 0 : result; /* that lane is left out */
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

static int copy_lanes(struct taker *taker, uint64_t now)
{
	uint64_t last_ns = ticks_monotonic_ns() + LONGEST_NS;
	int result = 0;

	for (uint32_t i = 1; i < slot_count(taker) && result == 0; i++) {
		const struct segment_slot *slot = &taker->file->slots[i];

		if (__atomic_load_n(&slot->kind, __ATOMIC_ACQUIRE) != SEGMENT_SLOT_LANE ||
		    slot->process_slot != taker->process_slot)
			continue;
		result = copy_lane(taker, i, now);
		if (result == 0 && ticks_monotonic_ns() > last_ns)
			result = -ETIME;
	}
	return result;
}

static int take(struct taker *taker, const char *label, enum segment_snapshot_cause cause,
		uint64_t now)
{
	struct segment_snapshot *snapshot;
	int result = open_history(taker);
	char path[40];

	if (result < 0) {
		history_refuse(taker->history.process);
		return result;
	}
	snapshot = history_begin(&taker->history, label, cause);
	if (!snapshot)
		return -ENOSPC;
	snapshot->rss_bytes = resident_bytes(taker->history.process->pid);
	snprintf(path, sizeof(path), "/proc/%d/task", taker->history.process->pid);
	taker->threads = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	result = copy_lanes(taker, now);
	if (taker->threads >= 0)
		close(taker->threads);
	if (result < 0)
		history_cancel(&taker->history);
	else
		history_end(&taker->history, snapshot, now);
	return result;
}

/* Counts of a slot that another process had before begin with that one's; and a child
 * that ends may leave its slot to the next. Under the lock. */
static int is_its_own(const struct segment_process *process)
{
	return !process->tenancy &&
	       (!process->forked_from_slot || process->state == SEGMENT_PROCESS_RUNNING);
}

int live_snapshot_take(int fd, uint32_t process_slot, const char *label,
		       enum segment_snapshot_cause cause, unsigned int wait_ms,
		       uint64_t now, struct live_snapshot_memory *memory,
		       uint32_t *ret_number)
{
	struct taker taker = {.fd = fd, .process_slot = process_slot, .memory = memory};
	struct live_snapshot_lock lock;
	int result = open_file(&taker);

	if (result == 0)
		result = live_snapshot_lock(&lock, &taker.history.process->snapshot_lock,
					    wait_ms);
	if (result == 0) {
		result = is_its_own(taker.history.process)
				 ? take(&taker, label, cause, now)
				 : -EBUSY;
		live_snapshot_unlock(&lock);
		if (result == -EBUSY)
			history_refuse(taker.history.process);
	} else if (result == -EBUSY) {
		history_refuse(taker.history.process);
	}
	*ret_number = taker.history.taken;
	return close_file(&taker, result);
}

void live_snapshot_forget(struct live_snapshot_memory *memory)
{
	for (size_t i = 0; i < memory->count; i++)
		munmap(memory->lanes[i].memory.sums, memory->lanes[i].bytes);
	free(memory->lanes);
	*memory = (struct live_snapshot_memory){.count = 0};
}
