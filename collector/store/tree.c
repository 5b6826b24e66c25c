/* SPDX-License-Identifier: MIT */
/* The rows of a run's tree: module, function, path, path_lane, edge, site; and of what
 * its libc calls moved: target, transfer. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/merge.h"
#include "collector/store/row.h"
#include "collector/symbols/symbols.h"
#include "common/base/xalloc.h"
#include "common/names/name_set.h"

/* The file of a module; NULL: none. */
static const char *module_path(const struct merge *merge, uint32_t module)
{
	return module == MODULE_NONE ? NULL
				     : merge->identify.modules.all[module].from->path;
}

/* Chooses names for functions that have rows or were recorded with less than frames.
 * Regions, hints and libc calls, which are in no module, keep theirs. */
static void choose_names(struct store *store)
{
	const struct merge *merge = &store->ingest->merge;
	auto_free struct named *chosen = xcalloc(merge->function_count, sizeof(*chosen));
	auto_free size_t *places = xcalloc(merge->function_count, sizeof(*places));
	auto_free bool *is_told = xcalloc(merge->function_count, sizeof(*is_told));
	size_t count = 0;

	for (size_t i = 0; i < merge->mode_count; i++)
		if (merge->modes[i].function != MERGE_NO_FUNCTION)
			is_told[merge->modes[i].function] = true;
	for (size_t i = 0; i < merge->function_count; i++) {
		const struct identify_function *from = &merge->identify.functions[i];

		if (!(is_told[i] || store->functions[i]) || from->module == MODULE_NONE ||
		    from->naming != IDENTIFY_EXACT || !from->name)
			continue;
		places[count] = i;
		chosen[count++] =
			(struct named){.full = from->name,
				       .file = from->file,
				       .module = module_path(merge, from->module)};
	}
	name_set_tell_apart(chosen, count);
	store->names =
		pool_array(&store->pool, merge->function_count, sizeof(*store->names));
	for (size_t i = 0; i < count; i++)
		store->names[places[i]] = chosen[i];
}

/* The function's name, borrowed. */
static const char *name_of(const struct row *row, size_t function)
{
	const char *name = row->store->names[function].name;

	return name ? name : row->ingest->merge.identify.functions[function].name;
}

/* Only functions with a path get rows, and only modules of such functions. */
void store_number_functions(struct store *store)
{
	const struct merge *merge = &store->ingest->merge;
	int64_t next_function = store->ids.function, next_module = store->ids.module;

	store->functions =
		pool_array(&store->pool, merge->function_count, sizeof(int64_t));
	store->modules =
		pool_array(&store->pool, merge->identify.modules.count, sizeof(int64_t));
	for (size_t i = 0; i < merge->function_count; i++) {
		uint32_t module = merge->identify.functions[i].module;

		if (!merge->functions[i].is_used)
			continue;
		store->functions[i] = next_function++;
		if (module != MODULE_NONE && !store->modules[module])
			store->modules[module] = next_module++;
	}
	choose_names(store);
}

void store_forget_numbers(struct store *store)
{
	for (size_t i = 0; i < store->ingest->merge.function_count; i++)
		free(store->names[i].name);
	pool_done(&store->pool);
}

static void add_module(struct row *row, const void *element)
{
	const struct module *module = element;
	char build_id[2 * sizeof(module->from->build_id) + 1];

	if (row->store->modules[row->index])
		row_add(row, row->store->modules[row->index], row->ids->run,
			module->from->path,
			value_filled(store_build_id(module->from, build_id)),
			module->symbols ? symbols_source(module->symbols) : "none",
			module_trouble(module));
}

static const char *const naming_words[] = {
	[IDENTIFY_UNNAMED] = "none",
	[IDENTIFY_NEAR] = "near",
	[IDENTIFY_EXACT] = "exact",
};

static const char *const recording_words[] = {
	[SEGMENT_RECORDING_EXACT] = "exact",
	[SEGMENT_RECORDING_COUNTED] = "counted",
	[SEGMENT_RECORDING_OFF] = "off",
	[MERGE_SAMPLED] = "sampled",
};

static void add_function(struct row *row, const void *element)
{
	const struct merge_function *function = element;
	const struct identify_function *names =
		&row->ingest->merge.identify.functions[row->index];
	const char *name = name_of(row, row->index);
	int has_module = names->module != MODULE_NONE;
	size_t blob_size;
	auto_free uint8_t *blob = NULL;

	if (!row->store->functions[row->index])
		return;
	histogram_encode(&function->histogram, &blob, &blob_size);
	row_add(row, row->store->functions[row->index], row->ids->run, name,
		strcmp(name, names->name) ? names->name : NULL, names->linkage_name,
		has_module ? value_integer(row->store->modules[names->module])
			   : VALUE_NONE,
		names->file, value_if(names->line != 0, names->line),
		value_filled(names->component),
		function->is_instrumented || function->recording == MERGE_SAMPLED
			? recording_words[function->recording]
			: "unwound",
		value_blob(blob, blob_size), naming_words[names->naming],
		names->is_library, function->owned_alloc_count,
		function->owned_alloc_bytes);
}

static const struct identify_place nowhere;

static const struct identify_place *call_of(const struct merge *merge, uint32_t call)
{
	return call ? &merge->identify.places[call - 1] : &nowhere;
}

/* The file of a call; NULL when it is that of the calling function, as usual. */
static const char *call_file(const struct merge *merge, const struct merge_path *path,
			     uint32_t call)
{
	uint32_t caller = merge->paths[path->parent].function;
	const char *file = call_of(merge, call)->file;

	return path->parent && file == merge->identify.functions[caller].file ? NULL
									      : file;
}

static void add_path(struct row *row, const void *element)
{
	const struct merge *merge = &row->ingest->merge;
	const struct merge_path *path = element;

	if (row->index)
		row_add(row, store_path_id(row->ids, (uint32_t)row->index), row->ids->run,
			value_path(row, path->parent), path->depth,
			row->store->functions[path->function], path->kind,
			value_if(path->is_inlined, store_path_id(row->ids, path->host)),
			call_file(merge, path, path->call),
			value_if(path->call != 0, call_of(merge, path->call)->line),
			value_if(path->call_lines > 1, path->call_lines),
			path->recording);
}

/* A forked child's inherited modes that it never used are reported for its parent. */
static void add_mode(struct row *row, const void *element)
{
	const struct merge_mode *mode = element;
	int64_t function;

	if (mode->own != row->index || mode->function == MERGE_NO_FUNCTION ||
	    (!mode->counted_calls &&
	     row->ingest->run.processes[mode->process].forked_from_slot))
		return;
	function = row->store->functions[mode->function];
	row_add(row, row->ids->run, row_process(row, mode->process),
		value_if(function != 0, function), name_of(row, mode->function),
		mode->recording, mode->least, mode->reason,
		row_time_ns(row, mode->since_ticks), mode->change_count,
		mode->counted_calls, mode->site_count, mode->early_site_count);
}

static void add_share(struct row *row, const void *element)
{
	const struct merge_share *share = element;

	row_add(row, store_path_id(row->ids, share->path), row->ids->lane + share->lane);
}

static void add_edge(struct row *row, const void *element)
{
	const struct merge_edge *edge = element;

	row_add(row, row->ids->run, row->store->functions[edge->caller],
		row->store->functions[edge->callee]);
}

static void add_site(struct row *row, const void *element)
{
	const struct merge *merge = &row->ingest->merge;
	const struct merge_site *site = element;
	const struct merge_path *path = &merge->paths[site->path];

	row_add(row, row->ids->site + (int64_t)row->index, row->ids->run,
		store_path_id(row->ids, site->path), site->file,
		value_if(site->line != 0, site->line),
		path->kind == MERGE_FRAME ? call_of(merge, site->call)->file
					  : call_file(merge, path, site->call),
		value_if(site->call != 0, call_of(merge, site->call)->line));
}

static const struct identify_function *function_at(const struct merge *merge,
						   uint32_t function)
{
	static const struct identify_function none = {.module = MODULE_NONE};

	return function == IDENTIFY_NONE ? &none : &merge->identify.functions[function];
}

static void add_sample(struct row *row, const void *element)
{
	const struct merge *merge = &row->ingest->merge;
	const struct sampled_row *from = element;
	const struct identify_function *outer = function_at(merge, from->outer_function);
	int64_t id = 0;

	if (from->function != IDENTIFY_NONE && from->function < merge->function_count)
		id = row->store->functions[from->function];
	row_add(row, row->ids->run, value_path(row, from->path), from->kind,
		value_if(id != 0, id), function_at(merge, from->function)->name,
		outer->name, module_path(merge, outer->module), from->file,
		value_if(from->line != 0, from->line), from->count, from->cpu_ns,
		from->lane == SAMPLED_NO_LANE);
}

static void add_target(struct row *row, const void *element)
{
	const struct transfers_target *target = element;

	row_add(row, row->ids->run, row->index, target->kind, target->name);
}

static void add_transfer(struct row *row, const void *element)
{
	const struct transfers_row *from = element;

	row_add(row, row->ids->run, row_process(row, from->process),
		store_path_id(row->ids, from->path), from->target, from->is_source,
		from->call_count, from->bytes, from->total_ns, from->small_count,
		from->sequential_count, from->failed_count, from->largest_bytes);
}

const struct row_table store_tree_tables[] = {
	{"module", add_module,
	 ROW_LIST(merge.identify.modules.all, merge.identify.modules.count)},
	{"function", add_function, ROW_LIST(merge.functions, merge.function_count),
	 ROW_QUANTITIES(merge.functions, FUNCTION)},
	{"path", add_path, ROW_LIST(merge.paths, merge.path_count),
	 ROW_QUANTITIES(merge.paths, PATH)},
	{"mode", add_mode, ROW_LIST(merge.modes, merge.mode_count)},
	{"path_lane", add_share, ROW_LIST(merge.shares, merge.share_count),
	 ROW_QUANTITIES(merge.shares, LANE)},
	{"edge", add_edge, ROW_LIST(merge.edges, merge.edge_count),
	 ROW_QUANTITIES(merge.edges, EDGE)},
	{"site", add_site, ROW_LIST(merge.sites, merge.site_count),
	 ROW_QUANTITIES(merge.sites, SITE)},
	{"sample", add_sample, ROW_LIST(merge.sampled.rows, merge.sampled.row_count)},
	{"target", add_target,
	 ROW_LIST(merge.transfers.targets, merge.transfers.target_count)},
	{"transfer", add_transfer,
	 ROW_LIST(merge.transfers.rows, merge.transfers.row_count)},
	{NULL},
};
