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
	if (from->job.name[0])
		to->job = memcpy(xmalloc(sizeof(*to->job)), &from->job, sizeof(*to->job));
	if (size > sizeof(from->command))
		size = sizeof(from->command);
	to->executable = xstrdup(from->executable);
	to->command = xmalloc(size + 1u);
	memcpy(to->command, from->command, size);
	to->command[size] = 0;
	to->command_size = size;
}

static void copy_modules(struct read_process *to, const struct segment_process *from,
			 const struct segment_reader *reader, struct module_files *files)
{
	struct segment_module *modules = segment_reader_entries(
		reader, to->slot, ARRAY_MODULES, from, &to->module_count);

	to->modules = xcalloc(to->module_count, sizeof(*to->modules));
	for (uint32_t i = 0; i < to->module_count; i++)
		to->modules[i] = module_files_place(files, &modules[i]);
	free(modules);
}

static void copy_arrays(struct read_process *to, const struct segment_process *from,
			const struct segment_reader *reader)
{
	/* site 0 means none */
	to->first_site = from->sites.first ? from->sites.first : 1;
	to->all_threads = segment_reader_entries(reader, to->slot, ARRAY_THREADS, from,
						 &to->thread_count);
	to->threads = to->all_threads;
	to->modes = segment_reader_entries(reader, to->slot, ARRAY_MODES, from,
					   &to->mode_count);
	for (uint32_t i = 0; i < to->thread_count; i++)
		END_STRING(to->threads[i].name);
}

static void copy_sites(struct read_process *to, struct segment_process *from,
		       const struct segment_reader *reader, uint32_t site_limit)
{
	struct segment_array sites, left;

	if (!from->sites.first)
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
	to->sites = segment_reader_array(reader, to->slot, ARRAY_SITES, &sites,
					 &to->site_count);
	to->left = segment_reader_array(reader, to->slot, ARRAY_LEFT, &left,
					&to->left_count);
	to->first_site = sites.first;
}

static void copy_targets(struct read_process *to, const struct segment_process *from,
			 const struct segment_reader *reader)
{
	to->targets = segment_reader_entries(reader, to->slot, ARRAY_TARGETS, from,
					     &to->target_count);
	for (uint32_t i = 0; i < to->target_count; i++)
		END_STRING(to->targets[i].name);
}

uint32_t read_process_again(struct read_process *process,
			    const struct segment_reader *reader)
{
	struct segment_process header;
	struct segment_array modes;

	if (segment_reader_process(reader, process->slot, &header) < 0)
		return 0;
	free(process->targets);
	copy_targets(process, &header, reader);
	arrays_read(&header, ARRAY_MODES, reader->slot_size, &modes);
	return modes.count;
}

void read_process_parts(struct read_process *process, const struct segment_reader *reader,
			uint32_t site_limit)
{
	struct segment_process header;

	if (process->has_parts ||
	    segment_reader_process(reader, process->slot, &header) < 0)
		return;
	process->has_parts = 1;
	copy_targets(process, &header, reader);
	copy_sites(process, &header, reader, site_limit);
}

static void free_parts(struct read_process *process)
{
	free(process->sites);
	free(process->left);
	free(process->targets);
	process->sites = NULL;
	process->left = NULL;
	process->targets = NULL;
	process->site_count = process->left_count = process->target_count = 0;
	process->has_parts = 0;
}

void read_process_forget(struct read_process *process)
{
	if (!process->history.snapshot_count)
		free_parts(process);
}

int read_process(struct read_process *ret, const struct segment_reader *reader,
		 uint32_t file, uint32_t slot, struct segment_process *header,
		 uint32_t site_limit, struct module_files *files)
{
	*ret = (struct read_process){.file = file, .slot = slot};
	copy_facts(ret, header);
	copy_strings(ret, header);
	copy_modules(ret, header, reader, files);
	copy_arrays(ret, header, reader);
	if (!header->history_slot)
		return 0;
	read_process_parts(ret, reader, site_limit);
	return read_history(reader, header->history_slot, slot, header->snapshot_interval,
			    &ret->history);
}

void read_process_done(struct read_process *process)
{
	if (process->is_borrower)
		return;
	free(process->executable);
	free(process->command);
	free(process->modules);
	free(process->all_threads);
	free(process->modes);
	free_parts(process);
	free(process->job);
	read_history_done(&process->history);
}
