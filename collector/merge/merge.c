/* SPDX-License-Identifier: MIT */
/*
 * The merged tree itself: paths and functions.
 */
#include "collector/merge/merge.h"

#include "common/base/xalloc.h"

void merge_add_path(struct merge *merge, const struct merge_path *path)
{
	size_t count = merge->path_count++;

	merge->paths =
		pool_room(&merge->pool, merge->paths, count, sizeof(*merge->paths));
	merge->cells =
		pool_room(&merge->pool, merge->cells, count, sizeof(*merge->cells));
	merge->touched =
		pool_room(&merge->pool, merge->touched, count, sizeof(*merge->touched));
	merge->paths[count] = *path;
}

/* Two paths may have the same parent, function and kind: see merge_twin_path(). */
enum twin { FIRST, SECOND };

static uint32_t find_path(const struct merge *merge, uint32_t parent, uint32_t function,
			  enum merge_kind kind, enum twin twin)
{
	return map_get(&merge->path_map, (uint64_t)parent << 32 | function, kind, twin);
}

int merge_has_room(const struct merge *merge, uint32_t parent, uint32_t function,
		   enum merge_kind kind)
{
	return merge->path_count < merge->path_limit ||
	       find_path(merge, parent, function, kind, FIRST) != MAP_NONE;
}

static uint32_t path_of(struct merge *merge, uint32_t parent, uint32_t function,
			enum merge_kind kind, enum twin twin)
{
	struct merge_path path = {.parent = parent,
				  .function = function,
				  .depth = merge->paths[parent].depth + 1,
				  .kind = kind};
	uint32_t index = find_path(merge, parent, function, kind, twin);

	if (index != MAP_NONE)
		return index;
	quantities_clear(QUANTITY_OF_PATH, path.quantities);
	index = (uint32_t)merge->path_count;
	merge_add_path(merge, &path);
	map_put(&merge->path_map, (uint64_t)parent << 32 | function, kind, twin, index);
	return index;
}

uint32_t merge_child_path(struct merge *merge, uint32_t parent, uint32_t function,
			  enum merge_kind kind)
{
	return path_of(merge, parent, function, kind, FIRST);
}

uint32_t merge_twin_path(struct merge *merge, uint32_t path)
{
	const struct merge_path row = merge->paths[path];
	uint32_t first = find_path(merge, row.parent, row.function, row.kind, FIRST);
	enum twin twin = first == path ? SECOND : FIRST;

	if (merge->path_count >= merge->path_limit &&
	    find_path(merge, row.parent, row.function, row.kind, twin) == MAP_NONE)
		return 0;
	return path_of(merge, row.parent, row.function, row.kind, twin);
}

/* Returns 1 + the place, or 0 when it has no line. */
static uint32_t add_call(struct merge *merge, uint32_t path, uint32_t place)
{
	const struct identify_place *all = merge->identify.places;
	struct merge_path *row = &merge->paths[path];
	bool is_new = true;

	if (!all[place].file || !all[place].line)
		return 0;
	if (!row->call)
		row->call = place + 1;
	else if (all[place].line == all[row->call - 1].line &&
		 all[place].file == all[row->call - 1].file)
		is_new = false;
	else
		map_number(&merge->call_map, (uint64_t)path << 32 | all[place].line,
			   (uintptr_t)all[place].file, 0, &is_new);
	row->call_lines += is_new;
	return place + 1;
}

uint32_t merge_note_own_call(struct merge *merge, uint32_t path, uint32_t first,
			     uint32_t count)
{
	uint32_t parent = merge->paths[path].parent;

	for (uint32_t i = first; parent && i < first + count; i++)
		if (merge->identify.places[i].function == merge->paths[parent].function)
			return add_call(merge, path, i);
	return 0;
}

uint32_t merge_note_call(struct merge *merge, uint32_t path, uint32_t first,
			 uint32_t count)
{
	const struct identify *identify = &merge->identify;
	uint32_t call = merge_note_own_call(merge, path, first, count);

	for (uint32_t i = first; !call && i < first + count; i++) {
		uint32_t function = identify->places[i].function;

		/* a copy is not called from itself */
		if (function != merge->paths[path].function &&
		    !identify->functions[function].is_library)
			return add_call(merge, path, i);
	}
	return call;
}

int merge_frames(struct merge *merge, uint32_t *path, uint32_t first, uint32_t count,
		 uint32_t call)
{
	for (uint32_t i = first + count; i-- > first; call = i) {
		uint32_t function = merge->identify.places[i].function;

		if (!merge_has_room(merge, *path, function, MERGE_FRAME))
			return 0;
		*path = merge_child_path(merge, *path, function, MERGE_FRAME);
		merge_note_own_call(merge, *path, call, call != IDENTIFY_NONE);
	}
	return 1;
}

struct merge_function *merge_function_at(struct merge *merge, uint32_t function)
{
	while (merge->function_count <= function)
		quantities_clear(
			QUANTITY_OF_FUNCTION,
			POOL_ADD(&merge->pool, merge->functions, merge->function_count)
				.quantities);
	return &merge->functions[function];
}

struct merge_cell *merge_touch(struct merge *merge, uint32_t path)
{
	for (uint32_t at = path; at && !merge->cells[at].is_touched;
	     at = merge->paths[at].parent) {
		merge->cells[at].is_touched = 1;
		merge->touched[merge->touched_count++] = at;
	}
	return &merge->cells[path];
}

void merge_pass(struct merge *merge, uint32_t path, uint32_t owner, uint64_t calls,
		uint64_t ticks)
{
	uint32_t at = path == owner ? 0 : merge->paths[path].parent;

	for (; at && at != owner; at = merge->paths[at].parent) {
		struct merge_cell *cell = merge_touch(merge, at);

		count_add(&cell->passed_ticks, ticks);
		quantity_add(&cell->passed_calls, quantity_of_count(calls));
	}
}

int64_t merge_call_ns(const struct merge *merge, double ticks)
{
	double ns = ticks * merge->ticks->ns_per_tick - merge->cost.inner_ns;

	return ns > 0 ? ticks_duration_ns(merge->ticks, ns / merge->ticks->ns_per_tick)
		      : 0;
}

void merge_done(struct merge *merge)
{
	for (size_t i = 0; i < MERGE_MAPS; i++)
		map_done(&merge->maps[i]);
	intern_free(&merge->names);
	identify_done(&merge->identify);
	pool_done(&merge->pool);
	*merge = (struct merge){.run = NULL};
}
