/* SPDX-License-Identifier: MIT */
/*
 * Loading what a process had at two moments, by site and by call path. Must not take the
 * run's final numbers for those of one of several processes.
 */
#include "analyzer/reports/delta/estimates.h"
#include "analyzer/reports/delta/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "delta.sql.h"

#include <stdlib.h>
#include <string.h>

static int load_list(struct report_input *input, struct delta *delta)
{
	struct cursor *cursor = report_query(input, delta_sql_sites);

	while (cursor_next(cursor) > 0) {
		const char *file = cursor_text(cursor, "file");
		struct delta_site *site;

		delta->sites = xgrow(delta->sites, delta->site_count,
				     &delta->site_capacity, sizeof(*delta->sites));
		site = &delta->sites[delta->site_count++];
		*site = (struct delta_site){
			.site_id = cursor_integer(cursor, "site_id"),
			.path_id = cursor_integer(cursor, "path_id"),
		};
		site->node = calltree_find(delta->tree, site->path_id);
		if (file)
			file = arena_copy(&delta->texts, file, strlen(file));
		site->place = site_place_of(delta->tree, site->node, file,
					    (uint32_t)cursor_integer(cursor, "line"));
	}
	return report_finish(input, cursor);
}

static int compare_sites(const void *left, const void *right)
{
	const struct delta_site *a = left, *b = right;

	return (a->site_id > b->site_id) - (a->site_id < b->site_id);
}

static struct delta_site *find_site(const struct delta *delta, int64_t site_id)
{
	struct delta_site wanted = {.site_id = site_id};

	return bsearch(&wanted, delta->sites, delta->site_count, sizeof(wanted),
		       compare_sites);
}

static void bind_moment(struct cursor *cursor, const struct delta *delta,
			const struct moment *moment)
{
	cursor_bind_integer(cursor, ":process", delta->process->process_id);
	cursor_bind_integer(cursor, ":at", moment_id(moment));
}

static int load_state(struct report_input *input, struct delta *delta,
		      const struct moment *moment, bool is_b)
{
	const char *sql = delta_sql_sites_at;
	struct cursor *cursor;

	if (moment->kind == MOMENT_START)
		return 0;
	if (moment->kind == MOMENT_PEAK)
		sql = delta_sql_sites_at_peak;
	else if (moment->kind == MOMENT_EXIT)
		sql = delta->list.run_process_count > 1 ? delta_sql_sites_at_its_exit
							: delta_sql_sites_at_exit;
	cursor = report_query(input, sql);
	bind_moment(cursor, delta, moment);
	while (cursor_next(cursor) > 0) {
		struct delta_site *site =
			find_site(delta, cursor_integer(cursor, "site_id"));

		if (site)
			cursor_quantities(cursor, QUANTITY_OF_HELD,
					  is_b ? site->entry.b.quantities
					       : site->entry.a.quantities);
	}
	return report_finish(input, cursor);
}

static int load_frees(struct report_input *input, struct delta *delta)
{
	struct cursor *cursor = report_query(input, delta_sql_frees);

	cursor_bind_integer(cursor, ":process", delta->process->process_id);
	cursor_bind_integer(cursor, ":a", moment_id(&delta->a));
	cursor_bind_integer(cursor, ":b", moment_id(&delta->b));
	cursor_bind_integer(cursor, ":c", moment_id(&delta->c));
	while (cursor_next(cursor) > 0) {
		struct delta_site *site =
			find_site(delta, cursor_integer(cursor, "site_id"));
		int64_t count = cursor_integer(cursor, "free_count");
		int64_t bytes = cursor_integer(cursor, "free_bytes");
		struct delta_entry part = {0};

		if (!site)
			continue;
		if (cursor_integer(cursor, "is_old")) {
			part.old_freed_count = count;
			part.old_freed_bytes = bytes;
		} else {
			part.young_freed_count = count;
			part.young_freed_bytes = bytes;
		}
		delta_add(&site->entry, &part);
	}
	return report_finish(input, cursor);
}

enum exit_status delta_load_sites(struct report_input *input, struct delta *delta)
{
	int result = load_list(input, delta);

	if (result == 0)
		result = load_state(input, delta, &delta->a, false);
	if (result == 0)
		result = load_state(input, delta, &delta->b, true);
	if (result == 0 && delta->has_between)
		result = load_frees(input, delta);
	return result < 0 ? STATUS_FAILED : STATUS_OK;
}

/* Adds (or takes off) what the paths had at a moment. */
static int add_paths(struct report_input *input, struct delta *delta,
		     const struct moment *moment, bool is_taken_off)
{
	const char *sql = delta_sql_paths_at;
	struct cursor *cursor;

	if (moment->kind == MOMENT_START)
		return 0;
	if (moment->kind == MOMENT_EXIT)
		sql = delta->list.run_process_count > 1 ? delta_sql_lanes_at_exit
							: delta_sql_paths_at_exit;
	cursor = report_query(input, sql);
	bind_moment(cursor, delta, moment);
	while (cursor_next(cursor) > 0) {
		uint32_t number =
			calltree_find(delta->tree, cursor_integer(cursor, "path_id"));
		int64_t values[QUANTITY_COUNT_PAST];

		cursor_quantities(cursor, QUANTITY_OF_PAST, values);
		for (size_t i = 0; is_taken_off && i < QUANTITY_COUNT_PAST; i++)
			values[i] = delta_minus(0, values[i]);
		if (number != CALLTREE_NONE)
			quantities_add(QUANTITY_OF_TREE,
				       delta->tree->nodes[number].quantities,
				       QUANTITY_OF_PAST, values, 1);
	}
	return report_finish(input, cursor);
}

static int load_counted(struct report_input *input, struct delta *delta)
{
	struct cursor *cursor = report_query(input, delta_sql_counted_calls);

	if (cursor_next(cursor) > 0)
		delta->counted_calls = whole_number(cursor_real(cursor, "counted_calls"));
	return report_finish(input, cursor);
}

enum exit_status delta_load_paths(struct report_input *input, struct delta *delta)
{
	struct delta_estimates *estimates = delta_estimates_new(delta->tree);
	int result = 0;

	for (size_t i = 0; i < delta->tree->node_count; i++)
		quantities_clear(QUANTITY_OF_TREE, delta->tree->nodes[i].quantities);
	if (delta->has_between)
		result = add_paths(input, delta, &delta->b, false);
	if (delta->has_between && result == 0)
		result = add_paths(input, delta, &delta->a, true);
	if (result == 0)
		result = load_counted(input, delta);
	calltree_move_times(delta->tree);
	delta_estimates_fold(delta->tree);
	delta_estimates_finish(estimates, delta->tree);
	return result < 0 ? STATUS_FAILED : STATUS_OK;
}

const char *delta_component(const struct delta *delta, uint32_t node)
{
	uint32_t number =
		node == CALLTREE_NONE ? INTERN_NONE : delta->components.paths[node];

	return number == INTERN_NONE ? "(not known)"
				     : intern_name(&delta->components.names, number);
}
