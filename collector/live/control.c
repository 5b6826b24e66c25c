/* SPDX-License-Identifier: MIT */
/*
 * Publishing by generations. Must not store one before what it stands for has its pages:
 * a process would meet a full disk in the middle of a call.
 */
#include "collector/live/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "collector/live/shared_map.h"
#include "collector/read/rundir.h"

#define LOCK_TRIES 1000
#define PAUSE_NS 1000000

static int take_lock(int fd)
{
	struct timespec pause = {.tv_nsec = PAUSE_NS};

	for (int i = 0; i < LOCK_TRIES; i++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		nanosleep(&pause, NULL);
	}
	return -EAGAIN;
}

static int map(struct control *control, uint64_t token)
{
	struct stat status;

	if (fstat(control->fd, &status) < 0)
		return -errno;
	if (status.st_size < (off_t)sizeof(*control->shared))
		return -EINVAL;
	control->shared = shared_map(control->fd, 0, sizeof(*control->shared),
				     PROT_READ | PROT_WRITE);
	if (!control->shared)
		return -ENOMEM;
	if (control->shared->magic == SEGMENT_MAGIC_CONTROL &&
	    control->shared->token == token)
		return 0;
	shared_unmap(control->shared);
	return -EINVAL;
}

int control_open(struct control *ret, int directory_fd, uint64_t token)
{
	int result;

	ret->fd = rundir_open_file(directory_fd, SEGMENT_CONTROL_NAME, O_RDWR);
	if (ret->fd < 0)
		return ret->fd;
	result = take_lock(ret->fd);
	if (result == 0)
		result = map(ret, token);
	if (result < 0)
		close(ret->fd);
	else
		ret->table = ret->shared->table_generation % 2;
	return result;
}

int control_close(struct control *control)
{
	int result = shared_map_is_lost(control->shared) ? -EIO : 0;

	shared_unmap(control->shared);
	close(control->fd); /* and the lock */
	return result;
}

static int reserve(const struct control *control, const void *start, size_t size)
{
	off_t offset = (const char *)start - (const char *)control->shared;

	return -posix_fallocate(control->fd, offset, (off_t)size);
}

static void end_string(char *text, size_t size)
{
	text[size - 1] = '\0';
}

void control_setting(const struct control *control, const struct segment_run *page,
		     struct segment_setting *ret)
{
	uint64_t generation = control->shared->setting_generation;

	if (generation) {
		*ret = control->shared->settings[generation % SEGMENT_SETTING_LIMIT];
		end_string(ret->only, sizeof(ret->only));
		end_string(ret->skip, sizeof(ret->skip));
		ret->generation = generation;
		return;
	}
	*ret = (struct segment_setting){.ticks = page->start_ticks,
					.overhead_percent = page->overhead_percent};
	memcpy(ret->only, page->only, sizeof(ret->only));
	memcpy(ret->skip, page->skip, sizeof(ret->skip));
}

int control_set(struct control *control, const struct segment_run *page,
		struct segment_setting *setting)
{
	struct segment_setting before, *place;
	int result;

	control_setting(control, page, &before);
	if (before.generation == UINT64_MAX) /* no setting is 0 */
		return -EINVAL;
	setting->generation = before.generation + 1;
	setting->rules_generation =
		!strcmp(before.only, setting->only) && !strcmp(before.skip, setting->skip)
			? before.rules_generation
			: setting->generation;
	place = &control->shared->settings[setting->generation % SEGMENT_SETTING_LIMIT];
	result = reserve(control, place, sizeof(*place));
	if (result < 0)
		return result;
	*place = *setting;
	/* release: who sees the generation sees the setting */
	__atomic_store_n(&control->shared->setting_generation, setting->generation,
			 __ATOMIC_RELEASE);
	return 0;
}

struct segment_table *control_begin_table(struct control *control, uint32_t answer_count,
					  uint32_t fitting_count)
{
	struct segment_table *table = &control->shared->tables[!control->table];

	if (answer_count > SEGMENT_ANSWER_LIMIT ||
	    fitting_count > SEGMENT_FITTING_LIMIT ||
	    reserve(control, table,
		    offsetof(struct segment_table, answers[answer_count])) < 0 ||
	    (fitting_count && reserve(control, table->fittings,
				      fitting_count * sizeof(table->fittings[0])) < 0))
		return NULL;
	return table;
}

void control_publish_table(struct control *control)
{
	struct segment_control *shared = control->shared;

	/* release: who sees the generation sees the table */
	__atomic_store_n(&shared->table_generation, shared->table_generation + 1,
			 __ATOMIC_RELEASE);
	control->table = !control->table;
}
