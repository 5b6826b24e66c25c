/* SPDX-License-Identifier: MIT */
/* What is known about locks only when all lanes are merged: holders and names. */
#include <stdlib.h>
#include <string.h>

#include "collector/merge/place.h"
#include "common/base/xalloc.h"
#include "common/base/array.h"
#include "collector/symbols/symbols.h"
#include "collector/symbols/symbol.h"

static int by_lane(const void *a, const void *b)
{
	const struct lock_place *left = a, *right = b;

	return ORDER_BY_2(left, right, process, lane_slot);
}

static void settle(struct locks *locks, const struct lock_place *place, uint32_t lane,
		   uint32_t path)
{
	if (place->what == LOCK_PLACE_BLOCK) {
		locks->all[place->of].block_path = path;
	} else if (place->what == LOCK_PLACE_HOLDER) {
		locks->waits[place->of].holder_lane = lane;
		locks->waits[place->of].holder_path = path;
	} else if (place->what == LOCK_PLACE_STALL_HOLDER) {
		locks->stalls.all[place->of].holder_lane = lane;
		locks->stalls.all[place->of].holder_path = path;
	} else if (place->what == LOCK_PLACE_STALL_TAKEN) {
		locks->stalls.all[place->of].taken_path = path;
	} else {
		locks->waits[place->of].taken_path = path;
	}
}

/* Looks up the places of one lane and places its nodes a second time for that. What the
 * second time counts has been counted before. */
static void settle_lane(struct merge *merge, uint32_t lane,
			const struct lock_place *places, size_t count)
{
	const struct read_lane *from = &merge->run->lanes[lane];
	uint64_t folded = merge->folded_call_count, damaged = merge->damaged_count;
	struct lane_walk walk = {.merge = merge,
				 .lane = lane,
				 .modules = &merge->modules[from->process],
				 .process_index = from->process};

	if (read_lane(merge->run, from, &walk.data) < 0)
		return;
	place_nodes(&walk);
	for (size_t i = 0; i < count; i++)
		settle(&merge->locks, &places[i], lane,
		       place_path(&walk, places[i].node));
	free(walk.nodes);
	read_lane_done(&walk.data);
	merge->folded_call_count = folded;
	merge->damaged_count = damaged;
}

static void settle_places(struct merge *merge)
{
	struct locks *locks = &merge->locks;
	struct map lanes = {.count = 0};
	size_t first = 0, end;

	if (!locks->place_count)
		return;
	for (size_t i = 0; i < merge->run->lane_count; i++) {
		const struct read_lane *lane = &merge->run->lanes[i];

		if (map_get(&lanes, lane->process, lane->slot, 0) == MAP_NONE)
			map_put(&lanes, lane->process, lane->slot, 0, (uint32_t)i);
	}
	qsort(locks->places, locks->place_count, sizeof(*locks->places), by_lane);
	for (; first < locks->place_count; first = end) {
		const struct lock_place *place = &locks->places[first];
		uint32_t lane;

		for (end = first + 1; end < locks->place_count &&
				      by_lane(place, &locks->places[end]) == 0;)
			end++;
		lane = map_get(&lanes, place->process, place->lane_slot, 0);
		if (lane != MAP_NONE)
			settle_lane(merge, lane, place, end - first);
	}
	map_done(&lanes);
}

static const char *name_of_path(const struct merge *merge, uint32_t path)
{
	return path ? merge->identify.functions[merge->paths[path].function].name
		    : "[outside of any function]";
}

static char *with_offset(const char *name, uint64_t offset)
{
	return offset ? xasprintf("%s + %llu", name, (unsigned long long)offset)
		      : xstrdup(name);
}

static void name_lock(struct merge *merge, struct merge_lock *lock)
{
	struct module_list *list = &merge->modules[lock->process];
	uint64_t address, offset;
	uint32_t module =
		modules_locate(list, lock->address & SEGMENT_KEY_ADDRESS_MASK, &address);
	struct symbol symbol;

	if (lock->kind == SEGMENT_LOCK_ENDING || lock->kind == SEGMENT_LOCK_SIGNAL) {
		lock->naming = LOCK_NAMED_BY_KIND;
		lock->name =
			xstrdup(lock->kind == SEGMENT_LOCK_SIGNAL ? "[a signal]"
								  : "[end of a thread]");
		return;
	}
	if (lock->block_path) {
		char *block =
			xasprintf("[block of %s]", name_of_path(merge, lock->block_path));

		lock->naming = LOCK_NAMED_BY_BLOCK;
		lock->name = with_offset(block, lock->block_offset);
		free(block);
		return;
	}
	if (module != MODULE_NONE)
		lock->module = merge->identify.modules.all[module].from->path;
	if (module != MODULE_NONE &&
	    symbols_variable(modules_symbols(&merge->identify.modules, module), address,
			     &symbol, &offset) == 0) {
		lock->naming = LOCK_NAMED_BY_VARIABLE;
		lock->name = with_offset(symbol.name, offset);
		return;
	}
	lock->name =
		xasprintf("[first used by %s]", name_of_path(merge, lock->first_path));
}

static int by_paths(const void *a, const void *b)
{
	const struct merge_lock_wait *left = a, *right = b;

	return ORDER_BY_4(left, right, lock, waiter_path, holder_path, taken_path)
		       ?: ORDER_BY_2(left, right, waiter_lane, holder_lane);
}

/* Joins waits of the same lanes and paths, which several nodes of one path cause. */
static void add_up_waits(struct locks *locks)
{
	size_t kept = 0;

	if (!locks->wait_count)
		return;
	qsort(locks->waits, locks->wait_count, sizeof(*locks->waits), by_paths);
	for (size_t i = 1; i < locks->wait_count; i++) {
		struct merge_lock_wait *last = &locks->waits[kept];
		const struct merge_lock_wait *next = &locks->waits[i];

		if (by_paths(last, next) != 0) {
			locks->waits[++kept] = *next;
			continue;
		}
		merge_add(&last->count, next->count);
		merge_add(&last->ticks, next->ticks);
		merge_raise(&last->longest_ticks, next->longest_ticks);
	}
	locks->wait_count = kept + 1;
}

static void add_stall_places(struct merge *merge)
{
	struct locks *locks = &merge->locks;

	for (size_t i = 0; i < locks->stalls.count; i++) {
		const struct merge_stall *stall = &locks->stalls.all[i];
		struct lock_place place = {
			.process = merge->run->lanes[stall->lane].process,
			.lane_slot = stall->from.holder_slot,
			.node = stall->from.holder_node,
			.of = (uint32_t)i,
			.what = LOCK_PLACE_STALL_HOLDER,
		};

		locks_add_place(locks, place);
		place.node = stall->from.taken_node;
		place.what = LOCK_PLACE_STALL_TAKEN;
		locks_add_place(locks, place);
	}
}

void locks_finish(struct merge *merge)
{
	add_stall_places(merge);
	settle_places(merge);
	add_up_waits(&merge->locks);
	for (size_t i = 0; i < merge->locks.count; i++)
		name_lock(merge, &merge->locks.all[i]);
}
