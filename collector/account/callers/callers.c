/* SPDX-License-Identifier: MIT */
/* Callers by mode, and whether functions are some. */
#include "collector/account/callers/callers.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

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

struct callers *callers_new(const struct merge *merge)
{
	struct callers *callers = xcalloc(1, sizeof(*callers));
	size_t functions = merge->identify.function_count;

	callers->merge = merge;
	callers->has_hooks = xcalloc(functions, 1);
	callers->is_caller = xcalloc(functions, 1);
	callers->of_mode = xcalloc(merge->mode_count, sizeof(*callers->of_mode));
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

void callers_free(struct callers *callers)
{
	if (!callers)
		return;
	free(callers->has_hooks);
	free(callers->is_caller);
	free(callers->of_mode);
	map_done(&callers->kinds);
	free(callers);
}

struct caller callers_of(const struct callers *callers, uint32_t mode)
{
	return callers->of_mode[mode];
}

int callers_have_copies(const struct callers *callers, uint32_t function, uint32_t inner,
			uint32_t outer)
{
	return map_get(&callers->kinds, function, key_of(inner, outer), 0) == 1;
}

int callers_has(const struct callers *callers, uint32_t function)
{
	return callers->is_caller[function];
}
