/* SPDX-License-Identifier: MIT */
/*
 * A slot's list of former processes, made into processes of the run. Must not trust a
 * count or an offset in the file.
 */
#include "collector/read/tenants.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/base/array.h"

/* A slot changes hands within microseconds. */
#define READ_TRIES 16

static int read_tenancy(const struct segment_reader *reader, uint32_t slot, uint32_t *ret)
{
	return segment_reader_bytes(reader, slot,
				    offsetof(struct segment_process, tenancy), ret,
				    sizeof(*ret));
}

int read_tenants_header(const struct segment_reader *reader, uint32_t slot,
			struct segment_process *ret)
{
	uint32_t before, after;

	for (int i = 0; i < READ_TRIES; i++) {
		if (read_tenancy(reader, slot, &before) < 0 ||
		    segment_reader_bytes(reader, slot, 0, ret, sizeof(*ret)) < 0 ||
		    ret->magic != SEGMENT_MAGIC_PROCESS ||
		    read_tenancy(reader, slot, &after) < 0)
			return -EINVAL;
		if (before == ret->tenancy && before == after)
			break;
	}
	return 0;
}

static void copy_record(struct read_process *to, const struct segment_tenant *from)
{
	to->is_former = 1;
	to->pid = from->pid;
	to->parent_pid = from->parent_pid;
	to->state = from->state;
	to->exit_code = from->exit_code;
	to->forked_from_slot = from->forked_from_slot;
	to->forked_from_tenant = from->forked_from_tenant;
	to->notes = from->notes;
	to->start_ticks = from->start_ticks;
	to->end_ticks = from->end_ticks;
	to->start_time = from->start_time;
	to->peak_bytes = from->peak_bytes;
	to->live_bytes = from->live_bytes;
	to->memory = (struct read_memory){from->alloc_count, from->alloc_bytes,
					  from->free_count, from->free_bytes,
					  from->live_bytes};
}

static struct read_process *add_process(struct read_run *run)
{
	struct read_process *processes =
		array_room(run->processes, run->process_count, sizeof(*processes));

	if (!processes)
		return NULL;
	run->processes = processes;
	return &processes[run->process_count++];
}

/* The rows of threads [first, end), as far as they are there. */
static void give_threads(struct read_process *to, const struct read_process *owner,
			 uint32_t count, uint32_t first, uint32_t end)
{
	if (end > count)
		end = count;
	to->threads = first < end ? owner->all_threads + first : NULL;
	to->thread_count = first < end ? end - first : 0;
}

static int add_former(struct read_run *run, size_t owner_index,
		      const struct segment_tenant *tenant, uint32_t number)
{
	struct read_process *process = add_process(run), *owner;

	if (!process)
		return -ENOMEM;
	owner = &run->processes[owner_index];
	process->file = owner->file;
	process->slot = owner->slot;
	process->tenant = number;
	process->is_borrower = 1;
	process->executable = owner->executable;
	process->command = owner->command;
	process->command_size = owner->command_size;
	process->modules = owner->modules;
	process->module_count = owner->module_count;
	process->names = owner->names;
	process->name_count = owner->name_count;
	process->first_site = owner->first_site;
	copy_record(process, tenant);
	return 0;
}

int read_tenants(struct read_run *run, const struct segment_reader *reader,
		 const struct segment_process *header)
{
	size_t owner = run->process_count - 1, first = run->process_count;
	struct segment_array array = {header->tenant_offset,
				      sizeof(struct segment_tenant), 0,
				      header->tenancy >> 1, header->tenant_capacity};
	uint32_t count, threads = run->processes[owner].thread_count;
	int is_vacant = header->tenancy & 1, result = 0;
	uint32_t end = header->first_thread;
	struct segment_tenant *tenants;

	run->processes[owner].tenant = header->tenancy >> 1;
	if (!header->tenancy)
		return 0;
	tenants = segment_reader_array(reader, run->processes[owner].slot, &array, &count,
				       &result);
	for (uint32_t i = 0; result == 0 && i < count; i++) {
		/* while the header is nobody's, the slot is the last one's */
		if (is_vacant && i == count - 1)
			break;
		result = add_former(run, owner, &tenants[i], i);
	}
	if (result == 0) {
		struct read_process *process = &run->processes[owner];

		if (is_vacant && count) {
			copy_record(process, &tenants[count - 1]);
			process->tenant = count - 1;
			end = tenants[count - 1].first_thread;
		}
		give_threads(process, process, threads, end, threads);
		for (size_t i = run->process_count; i-- > first;) {
			uint32_t from = tenants[run->processes[i].tenant].first_thread;

			give_threads(&run->processes[i], process, threads, from, end);
			end = from;
		}
	}
	free(tenants);
	return result;
}
