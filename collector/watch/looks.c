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

static void look_at_objects(struct answers *answers, const struct watch *watch,
			    struct watch_process *process)
{
	const struct watch_file *file = &watch->files[process->file];
	struct segment_reader reader = file->reader;
	uint32_t count;

	if (table_is_over(process) || process->has_left ||
	    (file->reader.fd < 0 &&
	     segment_reader_open(&reader, watch->rundir->fd, file->name,
				 watch->run->token) < 0))
		return;
	count = listed_count(&reader, process->slot);
	if (count != process->object_count)
		listed_show(answers, &reader, process->slot, process->death.pid);
	process->object_count = count;
	if (file->reader.fd < 0)
		segment_reader_close(&reader);
}

void objects_update(struct answers *answers, struct watch *watch)
{
	for (size_t i = 0; answers_are_asked(answers) && i < watch->process_count; i++)
		look_at_objects(answers, watch, &watch->processes[i]);
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
static void take(const struct intervals *intervals, const struct watch *watch,
		 struct watch_process *process)
{
	struct watch_interval *interval = &process->interval;
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

static void look_at_interval(const struct intervals *intervals, const struct watch *watch,
			     struct watch_process *process, uint64_t now_ns)
{
	struct watch_interval *interval = &process->interval;

	if (!interval->next_ns)
		interval->next_ns = now_ns + intervals->every_ns;
	if (interval->next_ns > now_ns)
		return;
	take(intervals, watch, process);
	interval->next_ns += intervals->every_ns;
	if (interval->next_ns <= now_ns)
		interval->next_ns = now_ns + intervals->every_ns;
}

uint64_t intervals_update(const struct intervals *intervals, struct watch *watch,
			  uint64_t longest_ns)
{
	uint64_t now_ns = ticks_monotonic_ns(), next_ns = now_ns + longest_ns;

	for (size_t i = 0; intervals->every_ns && i < watch->process_count; i++) {
		struct watch_process *process = &watch->processes[i];

		if (table_is_over(process) || process->interval.is_given_up)
			continue;
		look_at_interval(intervals, watch, process, now_ns);
		if (!process->interval.is_given_up && process->interval.next_ns < next_ns)
			next_ns = process->interval.next_ns;
	}
	return next_ns - now_ns;
}
