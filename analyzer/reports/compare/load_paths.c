/* SPDX-License-Identifier: MIT */
/*
 * Call paths and allocation sites read into a comparison. Must not trust that parents are
 * there and form no ring.
 *
 * A function that was only counted stands on no path, or only while it was timed: other
 * recordings of the same calls have other paths. So what was not timed call by call in
 * every run is left out of all paths, and what it has there is its caller's.
 */
#include "analyzer/reports/compare/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "load_paths.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct report_input *compare_about(struct compare_state *state, size_t run)
{
	state->input->db = state->runs[run].db;
	state->input->run_id = state->runs[run].run_id;
	return state->input;
}

void compare_add_waits(const struct compare_run *run, struct cursor *cursor,
		       int64_t *values)
{
	double self_ns =
		cursor_real(cursor, "raw_self_ns") - (double)values[COMPARE_self_ns];
	double total_ns =
		cursor_real(cursor, "raw_total_ns") - (double)values[COMPARE_total_ns];

	if (!(run->waits > 0))
		return;
	values[COMPARE_self_error_ns] = whole_number(hypot(
		(double)values[COMPARE_self_error_ns], run->waits * fmax(0, self_ns)));
	values[COMPARE_total_error_ns] = whole_number(hypot(
		(double)values[COMPARE_total_error_ns], run->waits * fmax(0, total_ns)));
}

void compare_add_hooks(const struct compare_run *run, struct cursor *cursor,
		       bool is_estimated, int64_t *values)
{
	double taken_ns =
		cursor_real(cursor, "raw_self_ns") - (double)values[COMPARE_self_ns];

	if (is_estimated)
		taken_ns = (double)values[COMPARE_calls] * run->hook_cost_ns;
	values[COMPARE_HOOKS] = whole_number(fmax(0, taken_ns));
}

/* The position of an id in an ordered list, or COMPARE_NONE. */
static uint32_t position(const int64_t *ids, size_t count, int64_t id)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < count && ids[low] == id ? (uint32_t)low : COMPARE_NONE;
}

uint32_t compare_run_function(const struct compare_run *run, int64_t function_id)
{
	uint32_t at = position(run->function_ids, run->function_count, function_id);

	return at == COMPARE_NONE ? COMPARE_NONE : run->functions[at];
}

/* The paths of a run as they come, before they find their places. */
struct loaded_path {
	int64_t parent_id, function_id;
	int64_t host_id; /* of an inlined copy, else 0 */
	bool is_frame, is_libc;
	int64_t values[COMPARE_PATH_METRICS];
};

struct loaded_paths {
	int64_t *ids;
	uint32_t *places; /* in the comparison; UNPLACED, OPEN while it is looked for */
	struct loaded_path *paths;
	size_t count, capacity;
	uint32_t nameless; /* the function of paths whose own is missing */
};

#define UNPLACED (COMPARE_NONE - 1)
#define OPEN (COMPARE_NONE - 2)

static int read_paths(struct compare_state *state, size_t number,
		      struct loaded_paths *loaded)
{
	struct cursor *cursor =
		report_query(compare_about(state, number), load_paths_sql_paths);

	while (cursor_next(cursor) > 0) {
		struct loaded_path *path;

		if (loaded->count == loaded->capacity) {
			loaded->capacity = loaded->capacity ? 2 * loaded->capacity : 1024;
			loaded->ids = xreallocarray(loaded->ids, loaded->capacity,
						    sizeof(*loaded->ids));
			loaded->paths = xreallocarray(loaded->paths, loaded->capacity,
						      sizeof(*loaded->paths));
		}
		path = &loaded->paths[loaded->count];
		loaded->ids[loaded->count++] = cursor_integer(cursor, "path_id");
		path->parent_id = cursor_integer(cursor, "parent_path_id");
		path->function_id = cursor_integer(cursor, "function_id");
		path->is_frame = cursor_integer(cursor, "kind") == 1;
		path->is_libc = cursor_integer(cursor, "kind") > 2;
		path->host_id = state->input->options->inlined
					? 0
					: cursor_integer(cursor, "host_path_id");
		cursor_quantities(cursor, QUANTITY_OF_COMPARED, path->values);
		compare_add_waits(&state->runs[number], cursor, path->values);
		compare_add_hooks(&state->runs[number], cursor,
				  cursor_integer(cursor, "recording") != 0, path->values);
	}
	return report_finish(state->input, cursor);
}

static uint32_t function_of(struct compare_state *state, size_t number,
			    struct loaded_paths *loaded, int64_t function_id)
{
	const struct compare_run *run = &state->runs[number];
	uint32_t found = compare_run_function(run, function_id);
	struct compare_function_row row = {.name = "?"};

	if (found != COMPARE_NONE)
		return found;
	if (loaded->nameless == COMPARE_NONE)
		loaded->nameless =
			compare_add_function(&state->comparison, run->column, &row);
	return loaded->nameless;
}

/* The place of an inlined copy's host, which stands above it; COMPARE_NONE: it has none,
 * or not there. */
static uint32_t host_place(const struct loaded_paths *loaded, uint32_t path)
{
	uint32_t host = position(loaded->ids, loaded->count, loaded->paths[path].host_id);

	return host != COMPARE_NONE && loaded->places[host] < OPEN ? loaded->places[host]
								   : COMPARE_NONE;
}

static void note_libc(struct comparison *comparison, uint32_t function)
{
	function = comparison->functions[function].merged_into;
	comparison->functions[function].is_libc = true;
}

/* As built: the host calls what a copy called, and has its self time. */
static uint32_t add_path(struct compare_state *state, size_t number,
			 struct loaded_paths *loaded, uint32_t at, uint32_t parent)
{
	const struct loaded_path *row = &loaded->paths[at];
	size_t column = state->runs[number].column;
	uint32_t above = COMPARE_NONE, host = COMPARE_NONE, function;
	int64_t values[COMPARE_PATH_METRICS];

	memcpy(values, row->values, sizeof(values));
	if (parent != COMPARE_NONE && loaded->places[parent] < OPEN) {
		above = loaded->places[parent];
		host = row->host_id ? host_place(loaded, at) : COMPARE_NONE;
		if (loaded->paths[parent].host_id && !row->host_id && !row->is_frame &&
		    host_place(loaded, parent) != COMPARE_NONE)
			above = host_place(loaded, parent);
	}
	if (host != COMPARE_NONE) {
		static const int moved[] = {COMPARE_self_ns,
					    COMPARE_self_error_ns,
					    COMPARE_self_cpu_ns,
					    COMPARE_self_ready_ns,
					    COMPARE_self_ready_error_ns,
					    COMPARE_self_blocked_ns,
					    COMPARE_HOOKS};

		for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
			quantity_add(&compare_values(&state->comparison.path_values, host,
						     (size_t)moved[i])[column],
				     values[moved[i]]);
			values[moved[i]] = 0;
		}
		values[COMPARE_total_ns] = values[COMPARE_total_error_ns] = 0;
	}
	function = function_of(state, number, loaded, row->function_id);
	if (row->is_libc)
		note_libc(&state->comparison, function);
	above = compare_kept(&state->comparison, above);
	return compare_add_path(&state->comparison, column, above, function, values);
}

/* Places a path below its parent, which is placed first. */
static void place_path(struct compare_state *state, size_t number,
		       struct loaded_paths *loaded, uint32_t *stack, uint32_t path)
{
	size_t depth = 0;

	for (stack[depth++] = path; depth > 0;) {
		uint32_t at = stack[depth - 1], parent;
		const struct loaded_path *row = &loaded->paths[at];

		parent = position(loaded->ids, loaded->count, row->parent_id);
		if (parent != COMPARE_NONE && loaded->places[parent] == UNPLACED &&
		    parent != at) {
			loaded->places[at] = OPEN;
			stack[depth++] = parent;
			continue;
		}
		/* A parent that is open stands on a ring: the path is a root then. */
		loaded->places[at] = add_path(state, number, loaded, at, parent);
		depth--;
	}
}

static int read_sites(struct compare_state *state, size_t number,
		      const struct loaded_paths *loaded)
{
	static const char *const names[COMPARE_SITE_METRICS] = {
		[COMPARE_SITE_alloc_count] = "alloc_count",
		[COMPARE_SITE_alloc_bytes] = "alloc_bytes",
		[COMPARE_SITE_live_bytes] = "live_bytes",
		[COMPARE_SITE_at_peak_bytes] = "at_peak_bytes",
	};
	int64_t values[COMPARE_SITE_METRICS];
	struct cursor *cursor =
		report_query(compare_about(state, number), load_paths_sql_sites);

	while (cursor_next(cursor) > 0) {
		uint32_t at = position(loaded->ids, loaded->count,
				       cursor_integer(cursor, "path_id"));

		if (at == COMPARE_NONE)
			continue;
		for (int i = 0; i < COMPARE_SITE_METRICS; i++)
			values[i] = cursor_integer(cursor, names[i]);
		compare_add_site(&state->comparison, state->runs[number].column,
				 compare_kept(&state->comparison, loaded->places[at]),
				 cursor_text(cursor, "file"),
				 (uint32_t)cursor_integer(cursor, "line"), values);
	}
	return report_finish(state->input, cursor);
}

int compare_load_paths(struct compare_state *state, size_t number)
{
	struct loaded_paths loaded = {.nameless = COMPARE_NONE};
	int result = read_paths(state, number, &loaded);
	uint32_t *stack = NULL;

	if (result == 0) {
		loaded.places =
			xreallocarray(NULL, loaded.count + 1, sizeof(*loaded.places));
		stack = xreallocarray(NULL, loaded.count + 1, sizeof(*stack));
		for (size_t i = 0; i < loaded.count; i++)
			loaded.places[i] = UNPLACED;
		for (uint32_t i = 0; i < loaded.count; i++)
			if (loaded.places[i] == UNPLACED)
				place_path(state, number, &loaded, stack, i);
		result = read_sites(state, number, &loaded);
	}
	free(stack);
	free(loaded.ids);
	free(loaded.places);
	free(loaded.paths);
	return result;
}
