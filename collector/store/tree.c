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

/* own: by number of the function. Regions, hints and libc calls, which are in no module,
 * have no name here. */
struct store_names {
	const struct merge *merge;
	struct named *own;
};

static bool is_plain_function(const struct identify_function *function)
{
	return function->module != MODULE_NONE && function->naming == IDENTIFY_EXACT &&
	       function->name;
}

static const char *path_of_module(const struct merge *merge,
				  const struct identify_function *function)
{
	return function->module == MODULE_NONE
		       ? NULL
		       : merge->identify.modules.all[function->module].from->path;
}

static bool *find_told(const struct merge *merge, const int64_t *rows)
{
	bool *is_told = xcalloc(merge->function_count, sizeof(*is_told));

	for (size_t i = 0; i < merge->function_count; i++)
		is_told[i] = rows[i] != 0;
	for (size_t i = 0; i < merge->mode_count; i++)
		if (merge->modes[i].function != MERGE_NO_FUNCTION)
			is_told[merge->modes[i].function] = true;
	return is_told;
}

/* Chooses names for the functions that have rows (not 0) or were recorded with less than
 * frames. The merge is borrowed until store_names_done(). */
static void store_names_choose(struct store_names *ret, const struct merge *merge,
			       const int64_t *rows)
{
	const struct identify_function *functions = merge->identify.functions;
	size_t *places = xcalloc(merge->function_count, sizeof(*places)), count = 0;
	auto_free struct named *chosen = xcalloc(merge->function_count, sizeof(*chosen));
	auto_free bool *is_told = find_told(merge, rows);

	*ret = (struct store_names){merge,
				    xcalloc(merge->function_count, sizeof(*ret->own))};
	for (size_t i = 0; i < merge->function_count; i++) {
		if (!is_told[i] || !is_plain_function(&functions[i]))
			continue;
		places[count] = i;
		chosen[count++] = (struct named){
			.full = functions[i].name,
			.file = functions[i].file,
			.module = path_of_module(merge, &functions[i]),
		};
	}
	name_set_tell_apart(chosen, count);
	for (size_t i = 0; i < count; i++)
		ret->own[places[i]] = chosen[i];
	free(places);
}

/* The function's name, borrowed. */
static const char *store_names_at(const struct store_names *names, size_t function)
{
	const char *name = names->own[function].name;

	return name ? name : names->merge->identify.functions[function].name;
}

static void store_names_done(struct store_names *names)
{
	name_set_done(names->own, names->merge->function_count);
	*names = (struct store_names){NULL, NULL};
}

/* Only functions with a path get rows, and only modules of such functions. */
void store_number_functions(struct store *store)
{
	const struct merge *merge = &store->ingest->merge;
	int64_t next_function = store->ids.function, next_module = store->ids.module;

	store->functions = xcalloc(merge->function_count, sizeof(int64_t));
	store->modules = xcalloc(merge->identify.modules.count, sizeof(int64_t));
	for (size_t i = 0; i < merge->function_count; i++) {
		uint32_t module = merge->identify.functions[i].module;

		if (!merge->functions[i].is_used)
			continue;
		store->functions[i] = next_function++;
		if (module != MODULE_NONE && !store->modules[module])
			store->modules[module] = next_module++;
	}
	store->names = xcalloc(1, sizeof(*store->names));
	store_names_choose(store->names, merge, store->functions);
}

void store_forget_numbers(struct store *store)
{
	store_names_done(store->names);
	free(store->names);
	free(store->functions);
	free(store->modules);
	free(store->threads);
	free(store->first_threads);
}

static void add_modules(struct row *row)
{
	const struct modules *modules = &row->ingest->merge.identify.modules;

	for (size_t i = 0; i < modules->count; i++) {
		const struct module *module = &modules->all[i];
		char build_id[2 * sizeof(module->from->build_id) + 1] = "";

		if (!row->store->modules[i])
			continue;
		for (uint32_t byte = 0; byte < module->from->build_id_size; byte++)
			snprintf(build_id + 2 * byte, 3, "%02x",
				 module->from->build_id[byte]);
		row_add(row, row->store->modules[i], row->ids->run, module->from->path,
			value_filled(build_id),
			module->symbols ? symbols_source(module->symbols) : "none",
			module_trouble(module));
	}
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

static void add_function(struct row *row, size_t index)
{
	const struct merge *merge = &row->ingest->merge;
	const struct identify_function *names = &merge->identify.functions[index];
	const struct merge_function *function = &merge->functions[index];
	const char *name = store_names_at(row->store->names, index);
	int has_module = names->module != MODULE_NONE;
	size_t blob_size;
	auto_free uint8_t *blob = NULL;

	histogram_encode(&function->histogram, &blob, &blob_size);
	row_add_with(row, function->quantities, row->store->functions[index],
		     row->ids->run, name, strcmp(name, names->name) ? names->name : NULL,
		     names->linkage_name,
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

static void add_functions(struct row *row)
{
	for (size_t i = 0; i < row->ingest->merge.function_count; i++)
		if (row->store->functions[i])
			add_function(row, i);
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

static void add_paths(struct row *row)
{
	const struct merge *merge = &row->ingest->merge;

	for (uint32_t i = 1; i < merge->path_count; i++) {
		const struct merge_path *path = &merge->paths[i];

		row_add_with(
			row, path->quantities, store_path_id(row->ids, i), row->ids->run,
			value_path(row, path->parent), path->depth,
			row->store->functions[path->function], path->kind,
			value_if(path->is_inlined, store_path_id(row->ids, path->host)),
			call_file(merge, path, path->call),
			value_if(path->call != 0, call_of(merge, path->call)->line),
			value_if(path->call_lines > 1, path->call_lines),
			path->recording);
	}
}

/* Does the mode get a row? A forked child's inherited modes that it never used are
 * reported for its parent. */
static int is_told(const struct merge *merge, const struct merge_mode *mode)
{
	if (mode->function == MERGE_NO_FUNCTION)
		return 0;
	return mode->counted_calls ||
	       !merge->run->processes[mode->process].forked_from_slot;
}

static void add_modes(struct row *row)
{
	const struct merge *merge = &row->ingest->merge;

	for (size_t i = 0; i < merge->mode_count; i++) {
		const struct merge_mode *mode = &merge->modes[i];
		int64_t function;

		if (mode->own != i || !is_told(merge, mode))
			continue;
		function = row->store->functions[mode->function];
		row_add(row, row->ids->run, row->ids->process + mode->process,
			value_if(function != 0, function),
			store_names_at(row->store->names, mode->function),
			mode->recording, mode->least, mode->reason,
			row_time_ns(row, mode->since_ticks), mode->change_count,
			mode->counted_calls, mode->site_count, mode->early_site_count);
	}
}

static void add_shares(struct row *row)
{
	const struct merge *merge = &row->ingest->merge;

	for (size_t i = 0; i < merge->share_count; i++)
		row_add_with(row, merge->shares[i].quantities,
			     store_path_id(row->ids, merge->shares[i].path),
			     row->ids->lane + merge->shares[i].lane);
}

static void add_edges(struct row *row)
{
	const struct merge *merge = &row->ingest->merge;

	for (size_t i = 0; i < merge->edge_count; i++)
		row_add_with(row, merge->edges[i].quantities, row->ids->run,
			     row->store->functions[merge->edges[i].caller],
			     row->store->functions[merge->edges[i].callee]);
}

static void add_sites(struct row *row)
{
	const struct merge *merge = &row->ingest->merge;

	for (size_t i = 0; i < merge->site_count; i++) {
		const struct merge_site *site = &merge->sites[i];
		const struct merge_path *path = &merge->paths[site->path];

		row_add_with(row, site->quantities, row->ids->site + (int64_t)i,
			     row->ids->run, store_path_id(row->ids, site->path),
			     site->file, value_if(site->line != 0, site->line),
			     path->kind == MERGE_FRAME
				     ? call_of(merge, site->call)->file
				     : call_file(merge, path, site->call),
			     value_if(site->call != 0, call_of(merge, site->call)->line));
	}
}

static const char *name_of(const struct merge *merge, uint32_t function)
{
	return function == IDENTIFY_NONE ? NULL
					 : merge->identify.functions[function].name;
}

static void add_sample(struct row *row, const struct sampled_row *from)
{
	const struct merge *merge = &row->ingest->merge;
	uint32_t module = MODULE_NONE;
	int64_t id = 0;

	if (from->function != IDENTIFY_NONE && from->function < merge->function_count)
		id = row->store->functions[from->function];
	if (from->outer_function != IDENTIFY_NONE)
		module = merge->identify.functions[from->outer_function].module;
	row_add(row, row->ids->run, value_path(row, from->path), from->kind,
		value_if(id != 0, id), name_of(merge, from->function),
		name_of(merge, from->outer_function),
		module == MODULE_NONE ? NULL
				      : merge->identify.modules.all[module].from->path,
		from->file, value_if(from->line != 0, from->line), from->count,
		from->cpu_ns, from->lane == SAMPLED_NO_LANE);
}

static void add_samples(struct row *row)
{
	const struct sampled *sampled = &row->ingest->merge.sampled;

	for (size_t i = 0; i < sampled->row_count; i++)
		add_sample(row, &sampled->rows[i]);
}

static void add_targets(struct row *row)
{
	const struct transfers *transfers = &row->ingest->merge.transfers;

	for (size_t i = 0; i < transfers->target_count; i++)
		row_add(row, row->ids->run, i, transfers->targets[i].kind,
			transfers->targets[i].name);
}

static void add_transfers(struct row *row)
{
	const struct transfers *transfers = &row->ingest->merge.transfers;

	for (size_t i = 0; i < transfers->row_count; i++) {
		const struct transfers_row *from = &transfers->rows[i];

		row_add(row, row->ids->run, row->ids->process + from->process,
			store_path_id(row->ids, from->path), from->target,
			from->is_source, from->call_count, from->bytes, from->total_ns,
			from->small_count, from->sequential_count, from->failed_count,
			from->largest_bytes);
	}
}

const struct row_table store_tree_tables[] = {
	{"module", add_modules, NULL},
	{"function", add_functions, &quantity_lists[QUANTITY_OF_FUNCTION]},
	{"path", add_paths, &quantity_lists[QUANTITY_OF_PATH]},
	{"mode", add_modes, NULL},
	{"path_lane", add_shares, &quantity_lists[QUANTITY_OF_LANE]},
	{"edge", add_edges, &quantity_lists[QUANTITY_OF_EDGE]},
	{"site", add_sites, &quantity_lists[QUANTITY_OF_SITE]},
	{"sample", add_samples, NULL},
	{"target", add_targets, NULL},
	{"transfer", add_transfers, NULL},
	{NULL},
};
