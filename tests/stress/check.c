/* SPDX-License-Identifier: MIT */
/*
 * What this is:  a segment file as the checks see it, slot by slot, and the list of what
 *                does not hold.
 * Runs on:       tests.
 * Must not:      trust an offset or a count of the file.
 * See also:      tests/stress/check.h
 */
#include "common/segment_history.h"
#include "tests/stress/check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int check_that(struct check *check, int holds, const char *format, ...)
{
	size_t used = strlen(check->text), room = sizeof(check->text) - used;
	va_list arguments;
	int length;

	if (holds)
		return 1;
	check->failure_count++;
	va_start(arguments, format);
	length = vsnprintf(check->text + used, room, format, arguments);
	va_end(arguments);
	if (length < 0 || (size_t)length + 2 > room) {
		check->text[used] = '\0'; /* enough has been said */
		return 0;
	}
	fprintf(stderr, "check: %s\n", check->text + used);
	strcat(check->text, "\n");
	return 0;
}

/* The file is sparse and may be larger than the address space that a sanitizer leaves, so
 * only the slots in use are mapped. */
static const void *map_slot(const struct check *check, uint32_t slot)
{
	void *mapped = mmap(NULL, check->slot_size, PROT_READ, MAP_SHARED, check->fd,
			    (off_t)(slot * check->slot_size));

	return mapped == MAP_FAILED ? NULL : mapped;
}

static int open_slots(struct check *check)
{
	const struct segment_file *file =
		mmap(NULL, sizeof(*file), PROT_READ, MAP_SHARED, check->fd, 0);

	if (file == MAP_FAILED)
		return -errno;
	check->file = file;
	if (file->magic != SEGMENT_MAGIC_FILE || file->version != SEGMENT_VERSION)
		return -EINVAL;
	check->slot_size = file->slot_size;
	check->slot_count = __atomic_load_n(&file->slot_count, __ATOMIC_ACQUIRE);
	if (check->slot_count > file->slot_limit)
		check->slot_count = file->slot_limit;
	check->slots = calloc(check->slot_count, sizeof(*check->slots));
	if (!check->slots)
		return -ENOMEM;
	for (uint32_t i = 1; i < check->slot_count; i++) {
		if (file->slots[i].kind == SEGMENT_SLOT_FREE)
			continue;
		check->slots[i] = map_slot(check, i);
		if (!check->slots[i])
			return -ENOMEM;
	}
	return 0;
}

int check_open(struct check *check, const char *path, int is_quiet)
{
	struct stat status;
	int result;

	*check = (struct check){.is_quiet = is_quiet};
	check->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (check->fd < 0)
		return -errno;
	if (fstat(check->fd, &status) < 0 ||
	    (size_t)status.st_size < sizeof(*check->file))
		result = -EINVAL;
	else
		result = open_slots(check);
	if (result < 0)
		check_close(check);
	return result;
}

void check_close(struct check *check)
{
	for (uint32_t i = 1; check->slots && i < check->slot_count; i++) {
		if (check->slots[i])
			munmap((void *)check->slots[i], check->slot_size);
	}
	free(check->slots);
	check->slots = NULL;
	if (check->file)
		munmap((void *)check->file, sizeof(*check->file));
	check->file = NULL;
	close(check->fd);
}

static const void *slot_at(struct check *check, uint32_t slot, uint32_t kind)
{
	int is_such = slot && slot < check->slot_count && check->slots[slot] &&
		      check->file->slots[slot].kind == kind;

	return check_that(check, is_such, "slot %u is no %s", slot,
			  kind == SEGMENT_SLOT_LANE	 ? "lane"
			  : kind == SEGMENT_SLOT_HISTORY ? "history"
							 : "process")
		       ? check->slots[slot]
		       : NULL;
}

const struct segment_process *check_process_at(struct check *check, uint32_t slot)
{
	const struct segment_process *process =
		slot_at(check, slot, SEGMENT_SLOT_PROCESS);

	if (process && !check_that(check, process->magic == SEGMENT_MAGIC_PROCESS,
				   "slot %u: wrong magic of a process", slot))
		return NULL;
	return process;
}

const struct segment_lane *check_lane_at(struct check *check, uint32_t slot)
{
	const struct segment_lane *lane = slot_at(check, slot, SEGMENT_SLOT_LANE);

	if (lane && !check_that(check, lane->magic == SEGMENT_MAGIC_LANE,
				"slot %u: wrong magic of a lane", slot))
		return NULL;
	return lane;
}

const struct segment_history *check_history_at(struct check *check, uint32_t slot)
{
	const struct segment_history *history =
		slot_at(check, slot, SEGMENT_SLOT_HISTORY);

	if (history && !check_that(check, history->magic == SEGMENT_MAGIC_HISTORY,
				   "slot %u: wrong magic of a history", slot))
		return NULL;
	return history;
}

void check_file(struct check *check)
{
	for (uint32_t slot = 1; slot < check->slot_count; slot++) {
		const struct segment_slot *entry = &check->file->slots[slot];

		if (entry->kind == SEGMENT_SLOT_LANE) {
			check_lane(check, slot);
			check_process_at(check, entry->process_slot);
		} else if (entry->kind == SEGMENT_SLOT_PROCESS) {
			check_process(check, slot);
			check_snapshots(check, slot);
		}
	}
}
