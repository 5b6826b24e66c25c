/* SPDX-License-Identifier: MIT */
/*
 * Copying the slots of a process into a new file and mapping them in place of the old
 * ones. Runs on: a traced thread, the only one that records. Must not leave the process
 * without what it had when it fails; use the heap.
 *
 * A file is shared by an image and all its forked children: each of them has the header
 * mapped, and with it a way to all slots. A child that gives up its privileges must not
 * keep that way, since the hooks of its parent follow indices in the parent's slots.
 *
 * The new file has the same slots at the same places, so no number and no address that
 * the hooks know changes: the copy is mapped over the original, signals blocked, under
 * the process lock. In the old file the moved slots are marked; their pages are given
 * back. A kill between the new file's magic and those marks, some microseconds, makes a
 * reader count what the process did before twice.
 *
 * What is mapped of the old file is asked of /proc/self/maps: a forked child has mappings
 * of its parent's lanes that nobody keeps a list of.
 */
#include "shim/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/history.h"
#include "shim/core/own_io.h"
#include "shim/core/own_memory.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"

#define PIECE_LIMIT 1024 /* mappings of slots; a lane has one, threads reuse lanes */
#define NAME_LIMIT 1000
#define LOCK_PAUSES 20

/* A mapping of the old file, or the part of one that lies in one slot. */
struct piece {
	uintptr_t start;
	uint64_t size, offset;
	uint32_t slot;
	char *copy; /* of what is ours: the new file's, not in its place yet */
};

struct move {
	int old_fd, new_fd;
	uint32_t slot_count;
	uint64_t slot_size;
	char path[SEGMENT_PATH_MAX];
	struct spool spool;
	size_t piece_count;
	struct piece pieces[PIECE_LIMIT];
	struct segment_slot slots[SEGMENT_SLOT_LIMIT];
	char file[64]; /* device and inode of the old file, as maps has them */
	char text[8192] __attribute__((aligned(64)));
};

static uint32_t slot_count(void)
{
	const struct segment_file *file = process_facts.file;
	uint32_t count = __atomic_load_n(&file->slot_count, __ATOMIC_ACQUIRE);

	return count < file->slot_limit ? count : file->slot_limit;
}

int apart_is_alone(void)
{
	const struct segment_file *file = process_facts.file;
	uint32_t count = slot_count();

	for (uint32_t i = 1; i < count; i++) {
		if (file->slots[i].kind == SEGMENT_SLOT_PROCESS && i != process->slot)
			return 0;
	}
	return 1;
}

/* Process, lanes and history; the names of regions are everybody's, and copied. */
static int is_own(uint32_t slot)
{
	const struct segment_file *file = process_facts.file;

	return slot == process->slot ||
	       ((file->slots[slot].kind == SEGMENT_SLOT_LANE ||
		 file->slots[slot].kind == SEGMENT_SLOT_HISTORY) &&
		file->slots[slot].process_slot == process->slot);
}

static int is_copied(uint32_t slot)
{
	return slot == 0 || slot == process_facts.file->name_slot || is_own(slot);
}

/* Another thread would go on writing to what has been copied. */
static int is_only_recorder(void)
{
	for (const struct lane_context *lane = process->lanes; lane;
	     lane = lane->next_lane) {
		if (lane != lane_self && lane->lane && lane->lane->in_use)
			return 0;
	}
	return 1;
}

/* One piece for each slot that a mapping reaches into. 0 or -E2BIG. */
static int add_pieces(struct move *move, uintptr_t start, uintptr_t end, uint64_t offset)
{
	while (start < end) {
		uint64_t slot = offset / move->slot_size;
		uint64_t room = (slot + 1) * move->slot_size - offset;
		uint64_t size = end - start < room ? end - start : room;

		if (move->piece_count == PIECE_LIMIT)
			return -E2BIG;
		move->pieces[move->piece_count++] =
			(struct piece){start, size, offset, (uint32_t)slot, NULL};
		start += size;
		offset += size;
	}
	return 0;
}

/* The line that the header lies in tells what to look for in the others. */
static int find_file(void *data, const struct maps_line *line)
{
	uintptr_t header = (uintptr_t)process_facts.file;
	struct move *move = data;

	if (line->low <= header && header < line->high)
		snprintf(move->file, sizeof(move->file), "%.*s", (int)line->file_length,
			 line->file);
	return 0;
}

static int add_line(void *data, const struct maps_line *line)
{
	struct move *move = data;

	if (strlen(move->file) != line->file_length ||
	    memcmp(move->file, line->file, line->file_length) != 0)
		return 0;
	return add_pieces(move, line->low, line->high, line->offset);
}

/* The pieces of our mappings of the old file. */
static int find_pieces(struct move *move)
{
	int result = maps_each(find_file, move);

	if (result == 0 && !move->file[0])
		result = -ENOENT;
	return result < 0 ? result : maps_each(add_line, move);
}

/* The old file by its path, and a new one beside it. */
static int open_files(struct move *move)
{
	char *name = move->path;
	const char *old;
	int result = -EEXIST;

	snprintf(move->path, sizeof(move->path), "%s", process_file_path);
	name = strrchr(move->path, '/');
	if (!name)
		return -EINVAL;
	*name++ = '\0';
	old = strrchr(process_file_path, '/') + 1;
	result = spool_open(&move->spool, move->path);
	if (result < 0)
		return result;
	move->old_fd = spool_open_file(&move->spool, old, O_RDWR);
	for (int i = 1; i < NAME_LIMIT && move->old_fd >= 0; i++) {
		snprintf(name - 1, 64, "/%d-%d" SEGMENT_FILE_SUFFIX, (int)process->pid,
			 i);
		move->new_fd = spool_create_file(&move->spool, name);
		if (move->new_fd != -EEXIST)
			break;
	}
	return move->old_fd < 0 ? move->old_fd : move->new_fd < 0 ? move->new_fd : 0;
}

/* What is stored of a slot; a page that was reserved is stored, as zeros. */
static int copy_slot(const struct move *move, uint32_t slot)
{
	off_t first = (off_t)(slot * move->slot_size);
	off_t last = first + (off_t)move->slot_size, end;

	for (off_t start = first; start < last; start = end) {
		start = lseek(move->old_fd, start, SEEK_DATA);
		if (start < 0)
			return errno == ENXIO ? 0 : -errno;
		if (start >= last)
			return 0;
		end = lseek(move->old_fd, start, SEEK_HOLE);
		if (end < 0 || lseek(move->new_fd, start, SEEK_SET) < 0)
			return -errno;
		end = end < last ? end : last;
		while (start < end) {
			ssize_t done = sendfile(move->new_fd, move->old_fd, &start,
						(size_t)(end - start));

			if (done <= 0)
				return done < 0 ? -errno : -EIO;
		}
	}
	return 0;
}

static int write_at(int fd, const void *data, size_t size, uint64_t offset)
{
	ssize_t written = pwrite(fd, data, size, (off_t)offset);

	if (written == (ssize_t)size)
		return 0;
	return written < 0 ? -errno : -ENOSPC;
}

/* Header, table and slots, and the magic when all is there. */
static int write_copy(struct move *move)
{
	const struct segment_file *file = process_facts.file;
	size_t head = offsetof(struct segment_file, slots);
	struct segment_file *header = (void *)move->text;
	uint64_t magic = SEGMENT_MAGIC_FILE;
	int result;

	if (ftruncate(move->new_fd, (off_t)(file->slot_limit * move->slot_size)) < 0)
		return -errno;
	/* what else is in the header is about slots of others */
	memset(header, 0, head);
	header->version = file->version;
	header->slot_limit = file->slot_limit;
	header->slot_size = file->slot_size;
	header->token = file->token;
	header->slot_count = move->slot_count;
	header->name_slot = file->name_slot;
	for (uint32_t i = 1; i < move->slot_count; i++) {
		/* no more than that: the rest is the old file's own affair */
		move->slots[i].kind = file->slots[i].kind;
		move->slots[i].pid = file->slots[i].pid;
		move->slots[i].process_slot = file->slots[i].process_slot;
		if (!is_copied(i))
			move->slots[i] =
				(struct segment_slot){.kind = SEGMENT_SLOT_ELSEWHERE};
	}
	result = write_at(move->new_fd, header, head, 0);
	if (result == 0)
		result = write_at(move->new_fd, move->slots,
				  move->slot_count * sizeof(move->slots[0]), head);
	for (uint32_t i = 1; i < move->slot_count && result == 0; i++) {
		if (is_copied(i))
			result = copy_slot(move, i);
	}
	if (result == 0)
		result = write_at(move->new_fd, &magic, sizeof(magic), 0);
	return result;
}

static int map_copies(struct move *move)
{
	for (size_t i = 0; i < move->piece_count; i++) {
		struct piece *piece = &move->pieces[i];
		void *copy;

		if (!is_copied(piece->slot))
			continue;
		copy = mmap(NULL, piece->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    move->new_fd, (off_t)piece->offset);
		if (copy == MAP_FAILED)
			return -errno;
		piece->copy = copy;
		madvise(copy, piece->size, MADV_RANDOM); /* see process_map_slots() */
		madvise(copy, piece->size, MADV_DONTDUMP);
	}
	return 0;
}

static void unmap_copies(struct move *move)
{
	for (size_t i = 0; i < move->piece_count; i++) {
		if (move->pieces[i].copy)
			munmap(move->pieces[i].copy, move->pieces[i].size);
	}
}

/* From here on a reader finds us in the new file. */
static void mark_old(const struct move *move)
{
	for (uint32_t i = 1; i < move->slot_count; i++) {
		if (is_own(i) && i != process->slot)
			__atomic_store_n(&process_facts.file->slots[i].kind,
					 SEGMENT_SLOT_ELSEWHERE, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&process_facts.file->slots[process->slot].kind,
			 SEGMENT_SLOT_ELSEWHERE, __ATOMIC_RELEASE);
}

/* Which slots are ours has to be asked before: the header is replaced like the rest. */
static int replace(struct move *move)
{
	int result = 0;

	for (size_t i = 0; i < move->piece_count; i++) {
		struct piece *piece = &move->pieces[i];

		if (!piece->copy) {
			own_memory_remove((void *)piece->start);
			munmap((void *)piece->start, piece->size);
		} else if (mremap(piece->copy, piece->size, piece->size,
				  MREMAP_MAYMOVE | MREMAP_FIXED,
				  (void *)piece->start) == MAP_FAILED) {
			result = -errno;
		}
	}
	process->spare = NULL; /* it was nobody's */
	return result;
}

/* The old file's pages of what has moved. Who cannot do that has them twice. */
static void give_back(const struct move *move)
{
	for (uint32_t i = 1; i < move->slot_count; i++) {
		if (move->slots[i].kind != SEGMENT_SLOT_ELSEWHERE &&
		    move->slots[i].kind != SEGMENT_SLOT_NAMES)
			fallocate(move->old_fd,
				  FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				  (off_t)(i * move->slot_size), (off_t)move->slot_size);
	}
}

static int copy_and_replace(struct move *move)
{
	int result = write_copy(move);

	if (result == 0)
		result = map_copies(move);
	if (result < 0) {
		unmap_copies(move);
		return result;
	}
	mark_old(move);
	if (replace(move) < 0) { /* the hooks cannot be left without their memory */
		process_note(SEGMENT_NOTE_NOT_APART);
		return 0;
	}
	give_back(move);
	memcpy(process_file_path, move->path, sizeof(move->path));
	return 0;
}

/* Under the process lock, signals blocked. */
static int move_locked(struct move *move)
{
	int result = open_files(move);

	if (result == 0)
		result = find_pieces(move);
	if (result == 0)
		result = copy_and_replace(move);
	if (result < 0 && move->new_fd >= 0)
		spool_remove_file(&move->spool, strrchr(move->path, '/') + 1);
	if (move->old_fd >= 0)
		close(move->old_fd);
	if (move->new_fd >= 0)
		close(move->new_fd);
	spool_close(&move->spool);
	return result;
}

static void pause_move(int step)
{
	(void)step;
	usleep(1000);
}

int apart_move(void)
{
	uint32_t *snapshot_lock = &process->segment->snapshot_lock;
	struct move *move;
	uint64_t mask;
	int result;

	if (own_memory_expects_locks() ||
	    madvise(process_facts.file, 1, 23 /* MADV_POPULATE_WRITE */) < 0)
		return -ENOTSUP; /* what is mapped anew could not be reserved */
	move = process_map(sizeof(*move), 0);
	if (!move)
		return -ENOMEM;
	move->old_fd = move->new_fd = move->spool.fd = -1;
	if (!process_lock(&mask)) {
		process_unmap(move, sizeof(*move));
		return -EBUSY;
	}
	move->slot_count = slot_count();
	move->slot_size = process_facts.file->slot_size;
	/* a snapshot that somebody takes from outside is written into the slots, too */
	result = !is_only_recorder() ? -EBUSY
				     : history_lock(snapshot_lock, SEGMENT_LOCK_THREAD,
						    LOCK_PAUSES, pause_move);
	if (result == 0) {
		result = move_locked(move);
		history_unlock(snapshot_lock);
	}
	process_unlock(&mask);
	process_unmap(move, sizeof(*move));
	return result;
}
