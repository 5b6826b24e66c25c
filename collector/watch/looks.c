/* SPDX-License-Identifier: MIT */
/*
 * What each look at the processes may bring: new objects, shown to who applies rules
 * about source files, and snapshots that are due.
 */
#include "collector/watch/table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "collector/live/snapshot.h"
#include "collector/read/segment_file.h"
#include "collector/selection/selection.h"
#include "common/base/array.h"

void objects_begin(struct objects *ret, const struct watch *watch)
{
	*ret = (struct objects){.count = 0};
	answers_begin(&ret->answers, watch->rundir->fd, watch->run);
}

static void look_at_objects(struct objects *objects, const struct watch *watch,
			    size_t index)
{
	const struct watch_process *process = &watch->processes[index];
	const struct watch_file *file = &watch->files[process->file];
	struct objects_process *seen = &objects->processes[index];
	struct segment_reader reader = file->reader;
	uint32_t count;

	if (seen->pid != process->death.pid ||
	    seen->start_ticks != process->death.start_ticks)
		*seen = (struct objects_process){process->death.pid,
						 process->death.start_ticks, 0};
	if (table_is_over(process) || process->has_left ||
	    (file->reader.fd < 0 &&
	     segment_reader_open(&reader, watch->rundir->fd, file->name,
				 watch->run->token) < 0))
		return;
	count = listed_count(&reader, process->slot);
	if (count != seen->count)
		listed_show(&objects->answers, &reader, process->slot,
			    process->death.pid);
	seen->count = count;
	if (file->reader.fd < 0)
		segment_reader_close(&reader);
}

void objects_update(struct objects *objects, const struct watch *watch)
{
	if (!answers_are_asked(&objects->answers))
		return;
	while (objects->count < watch->process_count)
		(void)ARRAY_ADD(objects->processes, objects->count);
	for (size_t i = 0; i < objects->count; i++)
		look_at_objects(objects, watch, i);
}

void intervals_init(struct intervals *intervals, const struct segment_run *page)
{
	*intervals = (struct intervals){.every_ns = page->snapshot_every_ms * 1000000ull};
	ticks_calibrate(&intervals->ticks, page, NULL);
}

/* A snapshot of the process's own takes milliseconds, more when its taker is not
 * scheduled: on a busy machine it was waited for 50 ms in vain. Who holds the lock
 * for longer is stopped, and is hardly waited for again: there are other processes. */
#define WAIT_MS 250u
#define SHORT_WAIT_MS 5u

/* A process whose file is damaged, or made so that a snapshot of it takes seconds, gets
 * no more. Those that are busy or without room get the next one, and so do those that
 * have taken one themselves meanwhile. */
static void take(struct intervals *intervals, const struct watch *watch, size_t index)
{
	const struct watch_process *process = &watch->processes[index];
	struct interval_process *interval = &intervals->processes[index];
	int fd = rundir_open_file(watch->rundir->fd, watch->files[process->file].name,
				  O_RDWR);
	uint32_t number;
	char label[32];
	int result;

	if (fd < 0)
		return;
	snprintf(label, sizeof(label), "interval %u", ++interval->number);
	result = live_snapshot_take(fd, process->slot, label, SEGMENT_SNAPSHOT_INTERVAL,
				    interval->was_busy ? SHORT_WAIT_MS : WAIT_MS,
				    ticks_now(&intervals->ticks), &interval->memory,
				    &number);
	close(fd);
	if (result < 0)
		live_snapshot_forget(&interval->memory);
	interval->was_busy = result == -EBUSY;
	interval->is_given_up = result == -EINVAL || result == -EIO || result == -ETIME;
}

static void look_at_interval(struct intervals *intervals, const struct watch *watch,
			     size_t index, uint64_t now_ns)
{
	struct interval_process *interval = &intervals->processes[index];
	uint64_t start_ticks = watch->processes[index].death.start_ticks;

	if (interval->start_ticks != start_ticks) {
		live_snapshot_forget(&interval->memory);
		*interval = (struct interval_process){.start_ticks = start_ticks};
	}
	if (table_is_over(&watch->processes[index]) || interval->is_given_up) {
		live_snapshot_forget(&interval->memory);
		return;
	}
	if (!interval->next_ns)
		interval->next_ns = now_ns + intervals->every_ns;
	if (interval->next_ns > now_ns)
		return;
	take(intervals, watch, index);
	interval->next_ns += intervals->every_ns;
	if (interval->next_ns <= now_ns)
		interval->next_ns = now_ns + intervals->every_ns;
}

uint64_t intervals_update(struct intervals *intervals, const struct watch *watch,
			  uint64_t longest_ns)
{
	uint64_t now_ns = ticks_monotonic_ns(), next_ns = now_ns + longest_ns;

	if (!intervals->every_ns)
		return longest_ns;
	while (intervals->count < watch->process_count)
		(void)ARRAY_ADD(intervals->processes, intervals->count);
	for (size_t i = 0; i < intervals->count; i++) {
		look_at_interval(intervals, watch, i, now_ns);
		if (!table_is_over(&watch->processes[i]) &&
		    !intervals->processes[i].is_given_up &&
		    intervals->processes[i].next_ns < next_ns)
			next_ns = intervals->processes[i].next_ns;
	}
	return next_ns - now_ns;
}
