/* SPDX-License-Identifier: MIT */
/* The rows of a run's tree: module, function, path, path_lane, edge, site, and what its
 * calls of libc moved: target, transfer. */
#include "collector/store/ids.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/naming/names.h"
#include "collector/store/row.h"
#include "common/base/xalloc.h"

/* Only functions that some path is of get rows, and only modules of such functions;
 * so their ids are looked up. 0: no row. */
struct tree_ids {
	const struct store_ids *ids;
	int64_t *functions, *modules;
	const struct store_names *names;
};

static void number_rows(const struct merge *merge, const struct store_ids *ids,
			struct tree_ids *ret)
{
	int64_t next_function = ids->function, next_module = ids->module;

	ret->ids = ids;
	ret->functions = xcalloc(merge->function_count, sizeof(int64_t));
	ret->modules = xcalloc(merge->identify.modules.count, sizeof(int64_t));
	for (size_t i = 0; i < merge->function_count; i++) {
		uint32_t module = merge->identify.functions[i].module;

		if (!merge->functions[i].is_used)
			continue;
		ret->functions[i] = next_function++;
		if (module != MODULE_NONE && !ret->modules[module])
			ret->modules[module] = next_module++;
	}
}

static void bind_or_null(struct row *row, int64_t value, int is_known)
{
	if (is_known)
		row_int(row, value);
	else
		row_null(row);
}

static int insert_modules(struct store *store, const struct merge *merge,
			  const struct tree_ids *tree)
{
	struct row row;

	row_open(&row, store, "module",
		 "module_id, run_id, path, build_id, symbols, trouble");
	for (size_t i = 0; i < merge->identify.modules.count; i++) {
		const struct module *module = &merge->identify.modules.all[i];
		char build_id[2 * sizeof(module->from->build_id) + 1] = "";

		if (!tree->modules[i])
			continue;
		for (uint32_t byte = 0; byte < module->from->build_id_size; byte++)
			snprintf(build_id + 2 * byte, 3, "%02x",
				 module->from->build_id[byte]);
		row_int(&row, tree->modules[i]);
		row_int(&row, tree->ids->run);
		row_text(&row, module->from->path);
		row_text(&row, *build_id ? build_id : NULL);
		row_text(&row,
			 module->symbols ? symbols_source(module->symbols) : "none");
		row_text(&row, module_trouble(module));
		row_next(&row);
	}
	return row_close(&row);
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

static int function_row(struct row *row, const struct ingest *ingest,
			const struct tree_ids *tree, size_t index)
{
	const struct identify_function *names = &ingest->merge.identify.functions[index];
	const struct merge_function *function = &ingest->merge.functions[index];
	const char *name = store_names_at(tree->names, index);
	size_t blob_size;
	uint8_t *blob;

	histogram_encode(&function->histogram, &blob, &blob_size);
	row_int(row, tree->functions[index]);
	row_int(row, tree->ids->run);
	row_text(row, name);
	row_text(row, strcmp(name, names->name) != 0 ? names->name : NULL);
	row_text(row, names->linkage_name);
	bind_or_null(row, names->module == MODULE_NONE ? 0 : tree->modules[names->module],
		     names->module != MODULE_NONE);
	row_text(row, names->file);
	bind_or_null(row, names->line, names->line != 0);
	row_text(row, names->component && *names->component ? names->component : NULL);
	row_text(row, function->is_instrumented ? recording_words[function->recording]
						: "unwound");
	row_blob(row, blob, blob_size);
	row_text(row, naming_words[names->naming]);
	row_int(row, names->is_library);
	row_int(row, function->owned_alloc_count);
	row_int(row, function->owned_alloc_bytes);
	row_quantities(row, QUANTITY_OF_FUNCTION, function->quantities);
	row_next(row);
	free(blob);
	return SQLITE_OK;
}

static int insert_functions(struct store *store, const struct ingest *ingest,
			    const struct tree_ids *tree)
{
	int code = SQLITE_OK, closed;
	struct row row;

	row_open_with(&row, store, "function",
		      "function_id, run_id, name, full_name, linkage_name, module_id, "
		      "file, line, "
		      "component, recording, histogram, naming, is_library, "
		      "owned_alloc_count, owned_alloc_bytes",
		      QUANTITY_OF_FUNCTION);
	for (size_t i = 0; i < ingest->merge.function_count && code == SQLITE_OK; i++) {
		if (tree->functions[i])
			code = function_row(&row, ingest, tree, i);
	}
	closed = row_close(&row);
	return code == SQLITE_OK ? closed : code;
}

static void path_row(struct row *row, const struct ingest *ingest,
		     const struct tree_ids *tree, uint32_t index)
{
	const struct merge_path *path = &ingest->merge.paths[index];

	row_int(row, store_path_id(tree->ids, index));
	row_int(row, tree->ids->run);
	bind_or_null(row, store_path_id(tree->ids, path->parent), path->parent != 0);
	row_int(row, path->depth);
	row_int(row, tree->functions[path->function]);
	row_int(row, path->kind);
	row_int(row, path->recording);
	bind_or_null(row, store_path_id(tree->ids, path->host), path->is_inlined);
	row_quantities(row, QUANTITY_OF_PATH, path->quantities);
	row_next(row);
}

static int insert_paths(struct store *store, const struct ingest *ingest,
			const struct tree_ids *tree)
{
	struct row row;

	row_open_with(&row, store, "path",
		      "path_id, run_id, parent_path_id, depth, function_id, kind, "
		      "recording, host_path_id",
		      QUANTITY_OF_PATH);
	for (uint32_t i = 1; i < ingest->merge.path_count; i++)
		path_row(&row, ingest, tree, i);
	return row_close(&row);
}

/* What a forked child took over and never called is told by its parent. */
static int is_told(const struct merge *merge, const struct merge_mode *mode)
{
	if (mode->function == MERGE_NO_FUNCTION)
		return 0;
	return mode->counted_calls ||
	       !merge->run->processes[mode->process].forked_from_slot;
}

static int insert_modes(struct store *store, const struct ingest *ingest,
			const struct tree_ids *tree)
{
	const struct merge *merge = &ingest->merge;
	struct row row;

	row_open(&row, store, "mode",
		 "run_id, process_id, function_id, name, recording, least, reason, "
		 "since_ns, changes, counted_calls, site_count, "
		 "early_site_count");
	for (size_t i = 0; i < merge->mode_count; i++) {
		const struct merge_mode *mode = &merge->modes[i];
		int64_t function;

		if (mode->own != i || !is_told(merge, mode))
			continue;
		function = tree->functions[mode->function];
		row_int(&row, tree->ids->run);
		row_int(&row, tree->ids->process + mode->process);
		bind_or_null(&row, function, function != 0);
		row_text(&row, store_names_at(tree->names, mode->function));
		row_int(&row, mode->recording);
		row_int(&row, mode->least);
		row_int(&row, mode->reason);
		row_int(&row, ticks_since_start_ns(&ingest->ticks, mode->since_ticks));
		row_count(&row, mode->change_count);
		row_count(&row, mode->counted_calls);
		row_count(&row, mode->site_count);
		row_count(&row, mode->early_site_count);
		row_next(&row);
	}
	return row_close(&row);
}

static int insert_shares(struct store *store, const struct merge *merge,
			 const struct tree_ids *tree)
{
	struct row row;

	row_open_with(&row, store, "path_lane", "path_id, lane_id", QUANTITY_OF_LANE);
	for (size_t i = 0; i < merge->share_count; i++) {
		const struct merge_share *share = &merge->shares[i];

		row_int(&row, store_path_id(tree->ids, share->path));
		row_int(&row, tree->ids->lane + share->lane);
		row_quantities(&row, QUANTITY_OF_LANE, share->quantities);
		row_next(&row);
	}
	return row_close(&row);
}

static int insert_edges(struct store *store, const struct merge *merge,
			const struct tree_ids *tree)
{
	struct row row;

	row_open_with(&row, store, "edge", "run_id, caller_id, callee_id",
		      QUANTITY_OF_EDGE);
	for (size_t i = 0; i < merge->edge_count; i++) {
		const struct merge_edge *edge = &merge->edges[i];

		row_int(&row, tree->ids->run);
		row_int(&row, tree->functions[edge->caller]);
		row_int(&row, tree->functions[edge->callee]);
		row_quantities(&row, QUANTITY_OF_EDGE, edge->quantities);
		row_next(&row);
	}
	return row_close(&row);
}

static void site_row(struct row *row, const struct merge_site *site, int64_t site_id,
		     const struct tree_ids *tree)
{
	row_int(row, site_id);
	row_int(row, tree->ids->run);
	row_int(row, store_path_id(tree->ids, site->path));
	row_text(row, site->file);
	bind_or_null(row, site->line, site->line != 0);
	row_quantities(row, QUANTITY_OF_SITE, site->quantities);
	row_next(row);
}

static int insert_sites(struct store *store, const struct merge *merge,
			const struct tree_ids *tree)
{
	struct row row;

	row_open_with(&row, store, "site", "site_id, run_id, path_id, file, line",
		      QUANTITY_OF_SITE);
	for (size_t i = 0; i < merge->site_count; i++)
		site_row(&row, &merge->sites[i], tree->ids->site + (int64_t)i, tree);
	return row_close(&row);
}

static void bind_text_of(struct row *row, const struct merge *merge, uint32_t function)
{
	row_text(row, function == IDENTIFY_NONE
			      ? NULL
			      : merge->identify.functions[function].name);
}

static void sample_row(struct row *row, const struct merge *merge,
		       const struct tree_ids *tree, const struct sampled_row *from)
{
	uint32_t function = from->function, module = MODULE_NONE;
	int64_t id = function == IDENTIFY_NONE || function >= merge->function_count
			     ? 0
			     : tree->functions[function];

	if (from->outer_function != IDENTIFY_NONE)
		module = merge->identify.functions[from->outer_function].module;
	row_int(row, tree->ids->run);
	bind_or_null(row, store_path_id(tree->ids, from->path), from->path != 0);
	row_int(row, from->kind);
	bind_or_null(row, id, id != 0);
	bind_text_of(row, merge, function);
	bind_text_of(row, merge, from->outer_function);
	row_text(row, module == MODULE_NONE
			      ? NULL
			      : merge->identify.modules.all[module].from->path);
	row_text(row, from->file);
	bind_or_null(row, from->line, from->line != 0);
	row_count(row, from->count);
	row_count(row, from->cpu_ns);
	row_int(row, from->lane == SAMPLED_NO_LANE);
	row_next(row);
}

static int insert_samples(struct store *store, const struct merge *merge,
			  const struct tree_ids *tree)
{
	struct row row;

	row_open(&row, store, "sample",
		 "run_id, path_id, kind, function_id, name, outer_name, module, file, "
		 "line, count, cpu_ns, is_plain");
	for (size_t i = 0; i < merge->sampled.row_count; i++)
		sample_row(&row, merge, tree, &merge->sampled.rows[i]);
	return row_close(&row);
}

int store_tree_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	struct store_names names;
	struct tree_ids tree = {.ids = ids, .names = &names};
	int code;

	number_rows(&ingest->merge, ids, &tree);
	store_names_choose(&names, &ingest->merge, tree.functions);
	code = insert_modules(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_functions(store, ingest, &tree);
	if (code == SQLITE_OK)
		code = insert_paths(store, ingest, &tree);
	if (code == SQLITE_OK)
		code = insert_modes(store, ingest, &tree);
	if (code == SQLITE_OK)
		code = insert_shares(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_edges(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_sites(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_samples(store, &ingest->merge, &tree);
	store_names_done(&names);
	free(tree.functions);
	free(tree.modules);
	return code;
}

static int insert_targets(struct store *store, const struct transfers *transfers,
			  const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "target", "run_id, target_id, kind, name");
	for (size_t i = 0; i < transfers->target_count; i++) {
		row_int(&row, ids->run);
		row_int(&row, (int64_t)i);
		row_int(&row, transfers->targets[i].kind);
		row_text(&row, transfers->targets[i].name);
		row_next(&row);
	}
	return row_close(&row);
}

static int insert_transfers(struct store *store, const struct transfers *transfers,
			    const struct store_ids *ids)
{
	struct row row;

	row_open(&row, store, "transfer",
		 "run_id, process_id, path_id, target_id, is_source, calls, bytes, "
		 "total_ns, "
		 "small_calls, sequential_calls, failed_calls, largest_bytes");
	for (size_t i = 0; i < transfers->row_count; i++) {
		const struct transfers_row *from = &transfers->rows[i];

		row_int(&row, ids->run);
		row_int(&row, ids->process + from->process);
		row_int(&row, store_path_id(ids, from->path));
		row_int(&row, from->target);
		row_int(&row, from->is_source);
		row_count(&row, from->call_count);
		row_count(&row, from->bytes);
		row_int(&row, from->total_ns);
		row_count(&row, from->small_count);
		row_count(&row, from->sequential_count);
		row_count(&row, from->failed_count);
		row_count(&row, from->largest_bytes);
		row_next(&row);
	}
	return row_close(&row);
}

int store_transfer_rows(struct store *store, const struct ingest *ingest,
			const struct store_ids *ids)
{
	int code = insert_targets(store, &ingest->merge.transfers, ids);

	return code == SQLITE_OK ? insert_transfers(store, &ingest->merge.transfers, ids)
				 : code;
}
