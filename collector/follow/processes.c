/* SPDX-License-Identifier: MIT */
/* What is followed of a process: who it is, its modules, modes and allocation sites. Must
 * not move a text that was handed on. */
#include "collector/follow/parts.h"

#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"
#include "common/base/array.h"
#include "common/base/xalloc.h"
#include "collector/processes/liveness.h"

#define END_STRING(array) ((array)[sizeof(array) - 1] = 0)

static void look_at_life(struct follow *follow, struct follow_process *process)
{
	const struct segment_process *header = &process->header;

	if (follow->pid) /* by our number, not by what it says */
		process->is_alive = header->state == SEGMENT_PROCESS_RUNNING &&
				    liveness_check(follow->pid, follow->start_time);
	else
		process->is_alive = header->state == SEGMENT_PROCESS_RUNNING &&
				    header->pid > 0 &&
				    liveness_check(header->pid, header->start_time);
}

/* A function that has calls without frames may be a level. */
static void note_level(struct follow *follow, const struct follow_process *process,
		       uint32_t function, const struct segment_mode *mode)
{
	struct map *map = &follow->merge.mode_map;

	if (mode->least == SEGMENT_RECORDING_COUNTED &&
	    map_get(map, process->number, function, 0) == MAP_NONE)
		map_put(map, process->number, function, 0, mode->least);
}

/* How the functions of its modes are recorded, and which ones those are. */
void follow_look_at_modes(struct follow *follow, struct follow_process *process)
{
	struct follow_file *file = &follow->files[process->file];
	struct segment_array modes;
	const struct segment_mode *all;
	uint32_t count, room = process->mode_count, variants = room;

	arrays_read(&process->header, ARRAY_MODES, file->reader.slot_size, &modes);
	if (modes.count - modes.first < 2)
		return;
	if (process->header.modules.count > process->facts.module_count)
		follow_refresh_modules(follow, process);
	count = segment_reader_refill(&file->reader, process->slot, ARRAY_MODES, &modes,
				      0, &follow->room);
	all = follow->room.entries;
	process->functions = follow_room(process->functions, &process->mode_count, count,
					 sizeof(*process->functions));
	process->variants = follow_room(process->variants, &variants, count,
					sizeof(*process->variants));
	for (uint32_t i = room; i < process->mode_count; i++)
		process->functions[i] = MERGE_NO_FUNCTION;
	for (uint32_t i = 1; i < count; i++) {
		uint32_t function = process->functions[i];

		if (!all[i].key)
			continue;
		if (function == MERGE_NO_FUNCTION && process->modules.process) {
			function = process->functions[i] = identify_function(
				&follow->merge.identify, &process->modules, all[i].key);
			process->variants[i] = (uint8_t)identify_variant(
				&follow->merge.identify, &process->modules, all[i].key);
		}
		/* of some of its calls the function's own entry says how it is */
		if (function == MERGE_NO_FUNCTION || all[i].host || all[i].site)
			continue;
		note_level(follow, process, function, &all[i]);
		while (follow->recording_count <= function)
			follow->recordings =
				array_room(follow->recordings, follow->recording_count++,
					   sizeof(*follow->recordings));
		follow->recordings[function] = (uint8_t)(all[i].recording & 3);
	}
	ledger_grow(&follow->functions, follow->merge.identify.function_count);
}

void follow_look_at_process(struct follow *follow, uint32_t number)
{
	struct follow_process *process = follow->processes[number];
	const struct follow_file *file = &follow->files[process->file];
	struct segment_process header;

	if (segment_reader_process(&file->reader, process->slot, &header) < 0) {
		process->is_alive = 0;
		return;
	}
	END_STRING(header.executable);
	END_STRING(header.command);
	process->header = header;
	look_at_life(follow, process);
	follow_look_at_modes(follow, process);
}

static void copy_names(struct follow *follow, struct follow_process *process)
{
	struct follow_file *file = &follow->files[process->file];
	struct segment_names header;
	struct segment_array names;
	const struct segment_name *all;
	uint32_t count;

	if (!file->reader.name_slot ||
	    segment_reader_bytes(&file->reader, file->reader.name_slot, 0, &header,
				 sizeof(header)) < 0 ||
	    header.magic != SEGMENT_MAGIC_NAMES)
		return;
	arrays_read(&header, ARRAY_NAMES, file->reader.slot_size, &names);
	if (names.count - names.first <= file->name_count)
		return;
	count = segment_reader_refill(&file->reader, file->reader.name_slot, ARRAY_NAMES,
				      &names, 0, &follow->room);
	if (count > SEGMENT_NAME_LIMIT)
		count = SEGMENT_NAME_LIMIT;
	if (!file->names) /* all at once: names are borrowed */
		file->names = xcalloc(SEGMENT_NAME_LIMIT, sizeof(*file->names));
	all = follow->room.entries;
	for (; file->name_count < count; file->name_count++) {
		struct segment_name *name = &file->names[file->name_count];

		*name = all[file->name_count];
		END_STRING(name->component);
		END_STRING(name->name);
	}
}

/* What was told of them stays, but when they were unloaded. */
static void copy_modules(struct follow *follow, struct follow_process *process,
			 struct segment_module *all, uint32_t count)
{
	struct read_process *facts = &process->facts;

	if (count > process->module_room) {
		process->module_room = count * 2;
		facts->modules = xreallocarray(facts->modules, process->module_room,
					       sizeof(*facts->modules));
	}
	for (uint32_t i = 0; i < count; i++) {
		if (i < facts->module_count)
			facts->modules[i].unload_ticks = all[i].unload_ticks;
		else
			facts->modules[i] =
				module_files_place(&follow->module_files, &all[i]);
	}
	if (count > facts->module_count)
		facts->module_count = count;
}

void follow_refresh_modules(struct follow *follow, struct follow_process *process)
{
	struct follow_file *file = &follow->files[process->file];
	uint32_t before = process->facts.module_count, count;
	struct segment_array modules;

	segment_reader_refresh(&file->reader);
	copy_names(follow, process);
	process->facts.names = file->names;
	process->facts.name_count = file->name_count;
	segment_reader_bytes(&file->reader, process->slot, 0, &process->header,
			     offsetof(struct segment_process, executable));
	arrays_read(&process->header, ARRAY_MODULES, file->reader.slot_size, &modules);
	count = segment_reader_refill(&file->reader, process->slot, ARRAY_MODULES,
				      &modules, 0, &follow->room);
	if (count > SEGMENT_MODULE_LIMIT)
		count = SEGMENT_MODULE_LIMIT;
	copy_modules(follow, process, follow->room.entries, count);
	if (process->facts.module_count == before && process->modules.process)
		return;
	free(process->modules.numbers);
	modules_list(&follow->merge.identify.modules, &process->facts, &process->modules);
}

/* The row of a site's path and line; its path is known. */
static uint32_t site_row(struct follow *follow, const struct follow_lane *lane,
			 uint32_t node)
{
	const struct identify *identify = &follow->merge.identify;
	uint32_t user = lane->walk.nodes[node].user, path = lane->walk.nodes[node].path;
	struct follow_site site = {.path = path};
	bool is_new;
	uint32_t row;

	if (user != IDENTIFY_NONE) {
		site.line = identify->places[user].line;
		site.file = identify->places[user].file;
	}
	row = map_number(&follow->site_map, (uint64_t)path << 32 | site.line,
			 (uintptr_t)site.file, 0, &is_new);
	if (is_new) {
		follow->site_rows =
			array_room(follow->site_rows, row, sizeof(*follow->site_rows));
		follow->site_rows[row] = site;
		ledger_grow(&follow->sites, row + 1);
	}
	return row;
}

static void add_site(struct follow *follow, const struct follow_file *file,
		     const struct segment_site *site, struct site_past *past)
{
	const uint64_t now[FOLLOW_SITE_NUMBERS] = {site->alloc_count, site->alloc_bytes,
						   site->free_count, site->free_bytes};
	const struct follow_lane *lane;
	uint32_t row;

	if (memcmp(now, past->numbers, sizeof(now)) == 0 ||
	    site->lane_slot >= SEGMENT_SLOT_LIMIT ||
	    file->lane_of[site->lane_slot] == NO_LANE)
		return;
	lane = &follow->lanes[file->lane_of[site->lane_slot]];
	if (site->node <= LANE_ROOT || site->node >= lane->placed ||
	    !lane->walk.nodes[site->node].is_placed)
		return; /* it is, with the next look */
	row = site_row(follow, lane, site->node);
	for (size_t i = 0; i < FOLLOW_SITE_NUMBERS; i++) {
		int64_t more = follow_more(&past->numbers[i], now[i]);

		ledger_add(&follow->sites, row, i, more);
		if (i < FOLLOW_SITE_FREES)
			ledger_add(&follow->paths, lane->walk.nodes[site->node].path,
				   i == FOLLOW_SITE_ALLOCS ? FOLLOW_ALLOCS
							   : FOLLOW_ALLOC_BYTES,
				   more);
	}
}

void follow_look_at_sites(struct follow *follow, uint32_t number)
{
	struct follow_process *process = follow->processes[number];
	const struct follow_file *file = &follow->files[process->file];
	uint32_t limit = read_node_limit(&follow->page), count;
	struct segment_array sites;
	const struct segment_site *all;

	if (!process->header.sites.first) /* site 0 means none */
		process->header.sites.first = 1;
	arrays_read(&process->header, ARRAY_SITES, file->reader.slot_size, &sites);
	if (sites.count - sites.first > limit)
		sites.count = sites.first + limit;
	count = segment_reader_refill(&file->reader, process->slot, ARRAY_SITES, &sites,
				      process->sites_known, &follow->room);
	all = follow->room.entries;
	process->sites_known = count;
	process->sites = follow_room(process->sites, &process->site_room, count,
				     sizeof(*process->sites));
	for (uint32_t i = 0; i < count; i++)
		add_site(follow, file, &all[i], &process->sites[i]);
}

void follow_process_done(struct follow_process *process)
{
	free(process->facts.modules);
	free(process->modules.numbers);
	free(process->sites);
	free(process->targets);
	free(process->functions);
	free(process->variants);
}
