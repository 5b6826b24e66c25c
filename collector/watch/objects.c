/* SPDX-License-Identifier: MIT */
/* Which objects are new, by their number in each process. Must not look at the names of
 * what was shown before. */
#include "collector/watch/objects.h"

#include "common/base/array.h"
#include "collector/read/segment_file.h"
#include "collector/selection/listed.h"

void objects_begin(struct objects *ret, const struct watch *watch)
{
	*ret = (struct objects){.count = 0};
	answers_begin(&ret->answers, watch->rundir->fd, watch->run);
}

static void look_at(struct objects *objects, const struct watch *watch, size_t index)
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
	while (objects->count < watch->process_count) {
		objects->processes = array_room(objects->processes, objects->count,
						sizeof(*objects->processes));
		objects->count++;
	}
	for (size_t i = 0; i < objects->count; i++)
		look_at(objects, watch, i);
}
