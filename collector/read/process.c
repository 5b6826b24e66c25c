/* SPDX-License-Identifier: MIT */
/*
 * A process slot, read and checked.
 */
#include "collector/read/process.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

#define END_STRING(array) ((array)[sizeof(array) - 1] = 0)

static void copy_facts(struct read_process *to, const struct segment_process *from)
{
	to->pid = from->pid;
	to->parent_pid = from->parent_pid;
	to->state = from->state;
	to->exit_code = from->exit_code;
	to->forked_from_slot = from->forked_from_slot;
	to->forked_from_tenant = from->forked_from_tenant;
	to->notes = from->notes;
	to->switch_source = from->switch_source;
	to->start_ticks = from->start_ticks;
	to->end_ticks = from->end_ticks;
	to->start_time = from->start_time;
	to->peak_bytes = from->peak_bytes;
	to->live_bytes = from->below_peak < from->peak_bytes
				 ? from->peak_bytes - from->below_peak
				 : 0;
	to->peak_generation = from->peak_generation;
	to->paused_ticks = from->paused_ticks;
	to->paused_since_ticks = from->paused_since_ticks;
	to->fitted_rules = from->fitted_rules[0] | (uint64_t)from->fitted_rules[1] << 32;
	memcpy(to->counters, from->counters, sizeof(to->counters));
}

static void copy_strings(struct read_process *to, struct segment_process *from)
{
	uint32_t size = from->command_size;

	END_STRING(from->executable);
	END_STRING(from->command);
	END_STRING(from->job.name);
	to->job = from->job;
	if (size > sizeof(from->command))
		size = sizeof(from->command);
	to->executable = xstrdup(from->executable);
	to->command = xmalloc(size + 1u);
	memcpy(to->command, from->command, size);
	to->command[size] = 0;
	to->command_size = size;
}

static void copy_arrays(struct read_process *to, struct segment_process *from,
			const struct segment_reader *reader, uint32_t site_limit)
{
	struct segment_array sites, left;

	if (!from->sites.first) /* site 0 means none */
		from->sites.first = from->left.first = 1;
	arrays_read(from, ARRAY_SITES, reader->slot_size, &sites);
	if (sites.count - sites.first > site_limit)
		sites.count = sites.first + site_limit;
	arrays_read(from, ARRAY_LEFT, reader->slot_size, &left);
	left.first = sites.first;
	if (left.count > sites.count)
		left.count = sites.count;
	if (left.count < left.first)
		left.count = left.first;
	to->modules = segment_reader_entries(reader, to->slot, ARRAY_MODULES, from,
					     &to->module_count);
	to->all_threads = segment_reader_entries(reader, to->slot, ARRAY_THREADS, from,
						 &to->thread_count);
	to->threads = to->all_threads;
	to->modes = segment_reader_entries(reader, to->slot, ARRAY_MODES, from,
					   &to->mode_count);
	to->targets = segment_reader_entries(reader, to->slot, ARRAY_TARGETS, from,
					     &to->target_count);
	to->sites = segment_reader_array(reader, to->slot, ARRAY_SITES, &sites,
					 &to->site_count);
	to->left = segment_reader_array(reader, to->slot, ARRAY_LEFT, &left,
					&to->left_count);
	to->first_site = sites.first;
	for (uint32_t i = 0; i < to->module_count; i++) {
		struct segment_module *module = &to->modules[i];

		END_STRING(module->path);
		if (module->build_id_size > sizeof(module->build_id))
			module->build_id_size = 0;
	}
	for (uint32_t i = 0; i < to->thread_count; i++)
		END_STRING(to->threads[i].name);
	for (uint32_t i = 0; i < to->target_count; i++)
		END_STRING(to->targets[i].name);
}

int read_process(struct read_process *ret, const struct segment_reader *reader,
		 uint32_t file, uint32_t slot, struct segment_process *header,
		 uint32_t site_limit)
{
	*ret = (struct read_process){.file = file, .slot = slot};
	copy_facts(ret, header);
	copy_strings(ret, header);
	copy_arrays(ret, header, reader, site_limit);
	return header->history_slot
		       ? read_history(reader, header->history_slot, slot,
				      header->snapshot_interval, &ret->history)
		       : 0;
}

void read_process_done(struct read_process *process)
{
	if (process->is_borrower)
		return;
	free(process->executable);
	free(process->command);
	free(process->modules);
	free(process->all_threads);
	free(process->sites);
	free(process->left);
	free(process->modes);
	free(process->targets);
	read_history_done(&process->history);
}
