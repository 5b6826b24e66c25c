/* SPDX-License-Identifier: MIT */
/* Which objects are new, by their number in each process. Must not look at the names of
 * what was shown before. */
#include "collector/watch/objects.h"

#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"
#include "common/base/array.h"
#include "collector/read/segment_file.h"

void objects_begin(struct objects *ret, const struct watch *watch)
{
	*ret = (struct objects){.count = 0};
	answers_begin(&ret->answers, watch->rundir->fd, watch->run);
}

/* How many a process lists now; unchecked. */
static uint32_t listed_count(const struct segment_reader *reader, uint32_t slot)
{
	struct segment_array array = {.count = 0};

	(void)segment_reader_bytes(reader, slot, array_kinds[ARRAY_MODULES].at, &array,
				   sizeof(array));
	return array.count;
}

static void show(struct objects *objects, const struct segment_reader *reader,
		 const struct watch_process *process)
{
	struct segment_process header;
	struct segment_module *modules;
	uint32_t count;

	if (segment_reader_process(reader, process->slot, &header) < 0 ||
	    header.pid != process->death.pid)
		return;
	modules = segment_reader_entries(reader, process->slot, ARRAY_MODULES, &header,
					 &count);
	for (uint32_t i = 0; i < count; i++) {
		struct segment_module *module = &modules[i];

		module->path[sizeof(module->path) - 1] = '\0';
		if (module->build_id_size > sizeof(module->build_id))
			module->build_id_size = 0;
		if (strcmp(module->path, "[vdso]") != 0)
			answers_add(&objects->answers, module);
	}
	free(modules);
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
		show(objects, &reader, process);
	seen->count = count;
	if (file->reader.fd < 0)
		segment_reader_close(&reader);
}

void objects_update(struct objects *objects, const struct watch *watch)
{
	if (answers_follow(&objects->answers) && objects->count)
		memset(objects->processes, 0,
		       objects->count * sizeof(*objects->processes));
	if (!answers_are_asked(&objects->answers))
		return;
	while (objects->count < watch->process_count) {
		objects->processes = array_room(objects->processes, objects->count,
						sizeof(*objects->processes));
		objects->count++;
	}
	for (size_t i = 0; i < objects->count; i++)
		look_at(objects, watch, i);
	answers_publish(&objects->answers);
}
