/* SPDX-License-Identifier: MIT */
/*
 * A process slot, read and checked.
 */
#include "collector/read/process.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

static int is_same_file(const struct segment_module *a, const struct segment_module *b)
{
	return strcmp(a->path, b->path) == 0 && a->build_id_size == b->build_id_size &&
	       memcmp(a->build_id, b->build_id, b->build_id_size) == 0 &&
	       a->device == b->device && a->inode == b->inode &&
	       a->size_bytes == b->size_bytes && a->mtime_ns == b->mtime_ns;
}

/* Finds or adds a module's file. A number tells files with equal hashes apart. */
static const struct segment_module *file_of(struct module_files *files,
					    const struct segment_module *from)
{
	uint64_t path = hash_text(from->path);
	uint64_t build_id = hash_bytes(from->build_id, from->build_id_size);

	for (uint64_t i = 0;; i++) {
		uint32_t number = map_get(&files->map, path, build_id, i);

		if (number == MAP_NONE)
			map_put(&files->map, path, build_id, i, (uint32_t)files->count);
		else if (is_same_file(files->all[number], from))
			return files->all[number];
		else
			continue;
		files->all = array_room(files->all, files->count, sizeof(*files->all));
		files->all[files->count] = xmalloc(sizeof(*from));
		*files->all[files->count] = *from;
		return files->all[files->count++];
	}
}

struct read_module module_files_place(struct module_files *files,
				      struct segment_module *from)
{
	from->path[sizeof(from->path) - 1] = '\0';
	if (from->build_id_size > sizeof(from->build_id))
		from->build_id_size = 0;
	return (struct read_module){from->start, from->end, from->bias,
				    from->unload_ticks, file_of(files, from)};
}

void module_files_done(struct module_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->all[i]);
	free(files->all);
	map_done(&files->map);
	*files = (struct module_files){.count = 0};
}

/* Copies what the slot's header and the record of a former process have in common. */
#define COPY_FACTS(to, from)                                                             \
	do {                                                                             \
		(to)->pid = (from)->pid;                                                 \
		(to)->parent_pid = (from)->parent_pid;                                   \
		(to)->state = (from)->state;                                             \
		(to)->exit_code = (from)->exit_code;                                     \
		(to)->forked_from_slot = (from)->forked_from_slot;                       \
		(to)->forked_from_tenant = (from)->forked_from_tenant;                   \
		(to)->notes = (from)->notes;                                             \
		(to)->switch_source = (from)->switch_source;                             \
		(to)->start_ticks = (from)->start_ticks;                                 \
		(to)->end_ticks = (from)->end_ticks;                                     \
		(to)->start_time = (from)->start_time;                                   \
		(to)->peak_bytes = (from)->peak_bytes;                                   \
	} while (0)

static void copy_facts(struct read_process *to, const struct segment_process *from)
{
	COPY_FACTS(to, from);
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
	auto_free struct segment_module *modules = segment_reader_entries(
		reader, to->slot, ARRAY_MODULES, from, &to->module_count);

	to->modules = xcalloc(to->module_count, sizeof(*to->modules));
	for (uint32_t i = 0; i < to->module_count; i++)
		to->modules[i] = module_files_place(files, &modules[i]);
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

/*
 * Makes processes of the run from a slot's list of former processes. Must not trust a
 * count or an offset in the file.
 */

static void copy_record(struct read_process *to, const struct segment_tenant *from)
{
	COPY_FACTS(to, from);
	to->is_former = 1;
	to->live_bytes = from->live_bytes;
	to->memory = (struct read_memory){from->alloc_count, from->alloc_bytes,
					  from->free_count, from->free_bytes,
					  from->live_bytes};
}

/* Gives a process the threads [first, end), as far as they exist. */
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
	auto_free struct segment_tenant *tenants = NULL;
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
	/* while the header has no process, the slot belongs to the last one */
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
	return processes;
}
