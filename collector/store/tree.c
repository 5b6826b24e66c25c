/* SPDX-License-Identifier: MIT */
/* The rows of a run's tree: module, function, path, path_lane, edge, site. */
#include "collector/store/ids.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector/store/row.h"

/* Only functions that some path is of get rows, and only modules of such functions;
 * so their ids are looked up. 0: no row. */
struct tree_ids {
	const struct store_ids *ids;
	int64_t *functions, *modules;
};

static int number_rows(const struct merge *merge, const struct store_ids *ids,
		       struct tree_ids *ret)
{
	int64_t next_function = ids->function, next_module = ids->module;

	ret->ids = ids;
	ret->functions = calloc(merge->function_count + 1, sizeof(int64_t));
	ret->modules = calloc(merge->identify.module_count + 1, sizeof(int64_t));
	if (!ret->functions || !ret->modules)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < merge->function_count; i++) {
		uint32_t module = merge->identify.functions[i].module;

		if (!merge->functions[i].is_used)
			continue;
		ret->functions[i] = next_function++;
		if (module != IDENTIFY_NONE && !ret->modules[module])
			ret->modules[module] = next_module++;
	}
	return SQLITE_OK;
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

	row_open(&row, store,
		 "INSERT INTO module (module_id, run_id, path, build_id, symbols, "
		 "trouble) "
		 "VALUES (?,?,?,?,?,?)");
	for (size_t i = 0; i < merge->identify.module_count; i++) {
		const struct identify_module *module = &merge->identify.modules[i];
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
		row_text(&row, identify_trouble(module));
		row_next(&row);
	}
	return row_close(&row);
}

/* A duration of one call, as the function's caller would see it without the hooks. */
static int64_t call_ns(const struct ingest *ingest, double ticks)
{
	double ns = ticks * ingest->ticks.ns_per_tick - ingest->merge.inner_cost_ns;

	return ns > 0 ? ticks_duration_ns(&ingest->ticks, ns / ingest->ticks.ns_per_tick)
		      : 0;
}

static void bind_percentile(struct row *row, const struct ingest *ingest,
			    const struct merge_function *function, double fraction)
{
	int64_t low = call_ns(ingest, (double)function->min_ticks);
	int64_t high = call_ns(ingest, (double)function->max_ticks);
	int64_t value;

	if (histogram_is_empty(&function->histogram) ||
	    function->min_ticks > function->max_ticks) {
		row_null(row);
		return;
	}
	value = call_ns(ingest, histogram_percentile(&function->histogram, fraction));
	row_int(row, value < low ? low : value > high ? high : value);
}

static void bind_durations(struct row *row, const struct ingest *ingest,
			   const struct merge_function *function)
{
	int is_known = function->min_ticks <= function->max_ticks;

	bind_or_null(row, call_ns(ingest, (double)function->min_ticks), is_known);
	bind_percentile(row, ingest, function, 0.50);
	bind_percentile(row, ingest, function, 0.90);
	bind_percentile(row, ingest, function, 0.95);
	bind_percentile(row, ingest, function, 0.99);
	bind_or_null(row, call_ns(ingest, (double)function->max_ticks), is_known);
}

static const char *const naming_words[] = {
	[IDENTIFY_UNNAMED] = "none",
	[IDENTIFY_NEAR] = "near",
	[IDENTIFY_EXACT] = "exact",
};

static int function_row(struct row *row, const struct ingest *ingest,
			const struct tree_ids *tree, size_t index)
{
	const struct identify_function *names = &ingest->merge.identify.functions[index];
	const struct merge_function *function = &ingest->merge.functions[index];
	size_t blob_size;
	uint8_t *blob;

	if (histogram_encode(&function->histogram, &blob, &blob_size) < 0)
		return SQLITE_NOMEM;
	row_int(row, tree->functions[index]);
	row_int(row, tree->ids->run);
	row_text(row, names->name);
	row_text(row, names->linkage_name);
	bind_or_null(row,
		     names->module == IDENTIFY_NONE ? 0 : tree->modules[names->module],
		     names->module != IDENTIFY_NONE);
	row_text(row, names->file);
	bind_or_null(row, names->line, names->line != 0);
	row_text(row, names->component && *names->component ? names->component : NULL);
	row_count(row, function->calls);
	row_int(row, function->total_ns);
	row_int(row, function->self_ns);
	row_int(row, function->raw_total_ns);
	row_int(row, function->raw_self_ns);
	bind_durations(row, ingest, function);
	row_count(row, function->alloc_count);
	row_count(row, function->alloc_bytes);
	row_text(row, function->is_instrumented ? "exact" : "unwound");
	row_blob(row, blob, blob_size);
	row_text(row, naming_words[names->naming]);
	row_next(row);
	free(blob);
	return SQLITE_OK;
}

static int insert_functions(struct store *store, const struct ingest *ingest,
			    const struct tree_ids *tree)
{
	int code = SQLITE_OK, closed;
	struct row row;

	row_open(&row, store,
		 "INSERT INTO function (function_id, run_id, name, linkage_name, "
		 "module_id, "
		 "file, line, component, calls, total_ns, self_ns, raw_total_ns, "
		 "raw_self_ns, "
		 "min_ns, "
		 "p50_ns, p90_ns, p95_ns, p99_ns, max_ns, alloc_count, alloc_bytes, "
		 "recording, histogram, naming) "
		 "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
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
	int is_known = path->min_ticks <= path->max_ticks;

	row_int(row, store_path_id(tree->ids, index));
	row_int(row, tree->ids->run);
	bind_or_null(row, store_path_id(tree->ids, path->parent), path->parent != 0);
	row_int(row, path->depth);
	row_int(row, tree->functions[path->function]);
	row_int(row, path->kind);
	row_count(row, path->calls);
	row_int(row, path->total_ns);
	row_int(row, path->self_ns);
	row_int(row, path->raw_total_ns);
	row_int(row, path->raw_self_ns);
	bind_or_null(row, call_ns(ingest, (double)path->min_ticks), is_known);
	bind_or_null(row, call_ns(ingest, (double)path->max_ticks), is_known);
	row_count(row, path->alloc_count);
	row_count(row, path->alloc_bytes);
	row_count(row, path->live_bytes);
	row_count(row, path->at_peak_bytes);
	row_next(row);
}

static int insert_paths(struct store *store, const struct ingest *ingest,
			const struct tree_ids *tree)
{
	struct row row;

	row_open(&row, store,
		 "INSERT INTO path (path_id, run_id, parent_path_id, depth, function_id, "
		 "kind, calls, total_ns, self_ns, raw_total_ns, raw_self_ns, min_ns, "
		 "max_ns, "
		 "alloc_count, alloc_bytes, live_bytes, at_peak_bytes) "
		 "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
	for (uint32_t i = 1; i < ingest->merge.path_count; i++)
		path_row(&row, ingest, tree, i);
	return row_close(&row);
}

static int insert_shares(struct store *store, const struct merge *merge,
			 const struct tree_ids *tree)
{
	struct row row;

	row_open(&row, store,
		 "INSERT INTO path_lane (path_id, lane_id, calls, total_ns, self_ns, "
		 "alloc_count, alloc_bytes) VALUES (?,?,?,?,?,?,?)");
	for (size_t i = 0; i < merge->share_count; i++) {
		const struct merge_share *share = &merge->shares[i];

		row_int(&row, store_path_id(tree->ids, share->path));
		row_int(&row, tree->ids->lane + share->lane);
		row_count(&row, share->calls);
		row_int(&row, share->total_ns);
		row_int(&row, share->self_ns);
		row_count(&row, share->alloc_count);
		row_count(&row, share->alloc_bytes);
		row_next(&row);
	}
	return row_close(&row);
}

static int insert_edges(struct store *store, const struct merge *merge,
			const struct tree_ids *tree)
{
	struct row row;

	row_open(&row, store,
		 "INSERT INTO edge (run_id, caller_id, callee_id, calls, total_ns) "
		 "VALUES (?,?,?,?,?)");
	for (size_t i = 0; i < merge->edge_count; i++) {
		const struct merge_edge *edge = &merge->edges[i];

		row_int(&row, tree->ids->run);
		row_int(&row, tree->functions[edge->caller]);
		row_int(&row, tree->functions[edge->callee]);
		row_count(&row, edge->calls);
		row_int(&row, edge->total_ns);
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
	row_count(row, site->alloc_count);
	row_count(row, site->alloc_bytes);
	row_count(row, site->free_count);
	row_count(row, site->free_bytes);
	row_count(row, site->live_count);
	row_count(row, site->live_bytes);
	row_count(row, site->peak_bytes);
	row_count(row, site->at_peak_bytes);
	row_count(row, site->at_peak_count);
	row_count(row, site->temporary_count);
	row_count(row, site->realloc_count);
	row_count(row, site->realloc_copied_bytes);
	row_count(row, site->cross_thread_free_count);
	row_count(row, site->largest_bytes);
	row_count(row, site->realloc_old_bytes);
	row_next(row);
}

static int insert_sites(struct store *store, const struct merge *merge,
			const struct tree_ids *tree)
{
	struct row row;

	row_open(&row, store,
		 "INSERT INTO site (site_id, run_id, path_id, file, line, alloc_count, "
		 "alloc_bytes, free_count, free_bytes, live_count, live_bytes, "
		 "peak_bytes, "
		 "at_peak_bytes, at_peak_count, temporary_count, realloc_count, "
		 "realloc_copied_bytes, cross_thread_free_count, largest_bytes, "
		 "realloc_old_bytes) "
		 "VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
	for (size_t i = 0; i < merge->site_count; i++)
		site_row(&row, &merge->sites[i], tree->ids->site + (int64_t)i, tree);
	return row_close(&row);
}

int store_tree_rows(struct store *store, const struct ingest *ingest,
		    const struct store_ids *ids)
{
	struct tree_ids tree = {.ids = ids};
	int code = number_rows(&ingest->merge, ids, &tree);

	if (code == SQLITE_OK)
		code = insert_modules(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_functions(store, ingest, &tree);
	if (code == SQLITE_OK)
		code = insert_paths(store, ingest, &tree);
	if (code == SQLITE_OK)
		code = insert_shares(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_edges(store, &ingest->merge, &tree);
	if (code == SQLITE_OK)
		code = insert_sites(store, &ingest->merge, &tree);
	free(tree.functions);
	free(tree.modules);
	return code;
}
