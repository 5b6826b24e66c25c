/* SPDX-License-Identifier: MIT */
/* Callers by mode, and whether functions are some; hosts of paths. Must not walk up the
 * tree for each path. */
#include "collector/account/callers/callers.h"

struct callers {
	const struct merge *merge;
	struct caller *of_mode;
	uint8_t *has_hooks, *is_caller; /* by function */
	struct map kinds; /* by function, inner and outer: whether its calls are copies */
};

/* What has a path had a frame or is a level, which a counted function is. */
static void find_hooks(struct callers *callers)
{
	const struct merge *merge = callers->merge;

	for (size_t i = 1; i < merge->path_count; i++)
		if (merge->paths[i].kind == MERGE_FUNCTION)
			callers->has_hooks[merge->paths[i].function] = 1;
	for (size_t i = 0; i < merge->mode_count; i++)
		if (merge->modes[i].function != MERGE_NO_FUNCTION &&
		    merge->modes[i].least != SEGMENT_RECORDING_OFF)
			callers->has_hooks[merge->modes[i].function] = 1;
}

/* A copy's hook lies in itself, as far as debug information tells. */
static uint32_t behind_copy(const struct identify_place *places,
			    const struct merge_mode *mode)
{
	uint32_t first = 0;

	while (first < mode->place_count && places[first].function != mode->function)
		first++;
	return first + 1;
}

static struct caller find_caller(const struct callers *callers,
				 const struct merge_mode *mode)
{
	const struct identify_place *places =
		callers->merge->identify.places + mode->place;
	struct caller caller = {MERGE_NO_FUNCTION, MERGE_NO_FUNCTION, 0, 0};
	uint32_t first = 0;

	if (mode->host != MERGE_NO_FUNCTION)
		first = behind_copy(places, mode);
	for (uint32_t i = first; i < mode->place_count; i++) {
		if (!callers->has_hooks[places[i].function])
			continue;
		if (caller.inner == MERGE_NO_FUNCTION)
			caller.inner = places[i].function;
		caller.outer = places[i].function;
		caller.is_part = places[i].is_part;
	}
	if (mode->host == MERGE_NO_FUNCTION)
		return caller;
	if (caller.inner == MERGE_NO_FUNCTION)
		caller.inner = mode->host;
	return (struct caller){caller.inner, mode->host, 1, caller.is_part};
}

static uint64_t key_of(uint32_t inner, uint32_t outer)
{
	return (uint64_t)inner << 32 | outer;
}

/* Where there are both, they are told apart by what was seen. */
static void note_kind(struct callers *callers, uint32_t function,
		      const struct caller *caller)
{
	uint64_t key = key_of(caller->inner, caller->outer);
	uint32_t known = map_get(&callers->kinds, function, key, 0);

	if (known == MAP_NONE)
		map_put(&callers->kinds, function, key, 0, caller->is_copy != 0);
	else if (known && !caller->is_copy)
		map_put(&callers->kinds, function, key, 0, 0);
}

struct callers *callers_new(struct pool *pool, const struct merge *merge)
{
	struct callers *callers = pool_array(pool, 1, sizeof(*callers));
	size_t functions = merge->identify.function_count;

	callers->merge = merge;
	callers->has_hooks = pool_array(pool, functions, 1);
	callers->is_caller = pool_array(pool, functions, 1);
	callers->of_mode = pool_array(pool, merge->mode_count, sizeof(*callers->of_mode));
	find_hooks(callers);
	for (size_t i = 0; i < merge->mode_count; i++) {
		struct caller caller = find_caller(callers, &merge->modes[i]);

		callers->of_mode[i] = caller;
		if (caller.inner == MERGE_NO_FUNCTION ||
		    merge->modes[i].function == MERGE_NO_FUNCTION)
			continue;
		note_kind(callers, merge->modes[i].function, &caller);
		callers->is_caller[caller.inner] = 1;
		callers->is_caller[caller.outer] = 1;
	}
	return callers;
}

void callers_done(struct callers *callers)
{
	if (callers)
		map_done(&callers->kinds);
}

struct caller callers_of(const struct callers *callers, uint32_t mode)
{
	return callers->of_mode[mode];
}

/* Are the function's calls by this caller copies, as far as any were counted? */
static int callers_have_copies(const struct callers *callers, uint32_t function,
			       uint32_t inner, uint32_t outer)
{
	return map_get(&callers->kinds, function, key_of(inner, outer), 0) == 1;
}

int callers_has(const struct callers *callers, uint32_t function)
{
	return callers->is_caller[function];
}

struct host {
	int64_t copies; /* calls with frames that are copies, less all others */
	uint32_t function;
	int is_copy;
};

struct hosts {
	struct pool *pool;
	struct merge *merge;
	struct host *all; /* by path */
	size_t count;
};

struct hosts *hosts_new(struct pool *pool, struct merge *merge)
{
	struct hosts *hosts = pool_array(pool, 1, sizeof(*hosts));

	hosts->pool = pool;
	hosts->merge = merge;
	for (size_t i = 0; i < merge->path_count; i++)
		hosts_add(hosts, (uint32_t)i, 0);
	return hosts;
}

void hosts_note(struct hosts *hosts, const struct kept_cell *cell)
{
	quantity_add(&hosts->all[cell->path].copies,
		     2 * cell->inlined_calls - cell->calls);
}

static void set_host(struct hosts *hosts, uint32_t path, int is_copy)
{
	const struct merge_path *row = &hosts->merge->paths[path];

	hosts->all[path].is_copy = is_copy;
	hosts->all[path].function =
		is_copy ? hosts->all[row->parent].function : row->function;
}

static int is_counted_copy(const struct hosts *hosts, const struct callers *callers,
			   const struct merge_path *row)
{
	return row->kind == MERGE_FUNCTION &&
	       callers_have_copies(callers, row->function,
				   hosts->merge->paths[row->parent].function,
				   hosts->all[row->parent].function);
}

/* A path most of whose calls are copies is in the code of the one above. */
void hosts_find(struct hosts *hosts, const struct callers *callers)
{
	for (size_t i = 1; i < hosts->count; i++) {
		struct merge_path *row = &hosts->merge->paths[i];
		int64_t copies = hosts->all[i].copies;

		if (row->parent && !copies)
			row->has_copies = is_counted_copy(hosts, callers, row);
		set_host(hosts, (uint32_t)i,
			 row->parent && (copies > 0 || row->has_copies));
	}
}

void hosts_add(struct hosts *hosts, uint32_t path, int is_copy)
{
	if (path < hosts->count)
		return;
	while (hosts->count <= path) {
		POOL_ADD(hosts->pool, hosts->all, hosts->count) =
			(struct host){.copies = 0};
		set_host(hosts, (uint32_t)hosts->count - 1, 0);
	}
	set_host(hosts, path, is_copy);
}

uint32_t hosts_of(const struct hosts *hosts, uint32_t path)
{
	return hosts->all[path].function;
}

int hosts_is_copy(const struct hosts *hosts, uint32_t path)
{
	return hosts->all[path].is_copy;
}
