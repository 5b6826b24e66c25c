/* SPDX-License-Identifier: MIT */
/*
 * A slot's list of former processes, made into processes of the run. Must not trust a
 * count or an offset in the file.
 */
#include "collector/read/tenants.h"

#include <stdlib.h>

#include "common/base/array.h"

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
	to->switch_source = from->switch_source;
	to->start_ticks = from->start_ticks;
	to->end_ticks = from->end_ticks;
	to->start_time = from->start_time;
	to->peak_bytes = from->peak_bytes;
	to->live_bytes = from->live_bytes;
	to->memory = (struct read_memory){from->alloc_count, from->alloc_bytes,
					  from->free_count, from->free_bytes,
					  from->live_bytes};
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

static void add_former(struct read_process *process, const struct read_process *owner,
		       const struct segment_tenant *tenant, uint32_t number)
{
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
}

struct read_process *read_tenants(struct read_process *processes, size_t *count,
				  const struct segment_reader *reader,
				  const struct segment_process *header)
{
	size_t owner = *count - 1, first = *count;
	int is_vacant = header->tenancy & 1;
	uint32_t end = header->first_thread, threads = processes[owner].thread_count;
	struct segment_tenant *tenants;
	struct segment_array array;
	uint32_t tenant_count;

	processes[owner].tenant = header->tenancy >> 1;
	if (!header->tenancy)
		return processes;
	arrays_read(header, ARRAY_TENANTS, reader->slot_size, &array);
	array.count = header->tenancy >> 1;
	if (array.count > array.capacity)
		array.count = array.capacity;
	tenants = segment_reader_array(reader, processes[owner].slot, ARRAY_TENANTS,
				       &array, &tenant_count);
	/* while the header is nobody's, the slot is the last one's */
	if (is_vacant && tenant_count) {
		const struct segment_tenant *last = &tenants[--tenant_count];

		copy_record(&processes[owner], last);
		processes[owner].tenant = tenant_count;
		end = last->first_thread;
	}
	for (uint32_t i = 0; i < tenant_count; i++) {
		processes = array_room(processes, *count, sizeof(*processes));
		add_former(&processes[(*count)++], &processes[owner], &tenants[i], i);
	}
	give_threads(&processes[owner], &processes[owner], threads, end, threads);
	for (size_t i = *count; i-- > first;) {
		uint32_t from = tenants[processes[i].tenant].first_thread;

		give_threads(&processes[i], &processes[owner], threads, from, end);
		end = from;
	}
	free(tenants);
	return processes;
}
