/* SPDX-License-Identifier: MIT */
/* Adds up the locks of all lanes by process and address; then finds their holders and
 * names, which are known only when all lanes are merged. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/place.h"
#include "collector/symbols/symbol.h"
#include "collector/symbols/symbols.h"
#include "common/base/xalloc.h"

/* The most that one run has. The rest is counted. */
#define LOCKS_MOST (1u << 16)
#define LOCK_WAITS_MOST (1u << 18)

/* A place that is looked up then, if it is one. */
static void locks_add_place(struct merge *merge, struct lock_place place)
{
	if (!place.lane_slot ||
	    (place.node <= LANE_ROOT && place.what != LOCK_PLACE_HOLDER &&
	     place.what != LOCK_PLACE_STALL_HOLDER))
		return;
	POOL_ADD(&merge->pool, merge->locks.places, merge->locks.place_count) = place;
}

/* Notes the allocation site of the memory block that contains the lock. */
static void note_block(struct merge *merge, uint32_t index,
		       const struct segment_lock *from)
{
	struct merge_lock *lock = &merge->locks.all[index];
	const struct read_process *process = &merge->run->processes[lock->process];
	uint32_t site = from->block_site - process->first_site;

	if (!from->block_site || from->block_site < process->first_site ||
	    site >= process->site_count)
		return;
	lock->block_offset = from->block_offset;
	locks_add_place(merge,
			(struct lock_place){lock->process, process->sites[site].lane_slot,
					    process->sites[site].node, index,
					    LOCK_PLACE_BLOCK});
}

/* Index of the run's lock, UINT32_MAX when there are too many. */
static uint32_t lock_at(const struct lane_walk *walk, const struct segment_lock *from)
{
	struct locks *locks = &walk->merge->locks;
	struct map *map = &walk->merge->lock_map;
	uint32_t index = map_get(map, walk->process_index, from->address, 0);

	_Static_assert(MAP_NONE == UINT32_MAX, "what is not in the map is no lock");
	if (index != MAP_NONE || locks->count >= LOCKS_MOST)
		return index;
	index = map_number(map, walk->process_index, from->address, 0, NULL);
	POOL_ADD(&walk->merge->pool, locks->all, locks->count) =
		(struct merge_lock){.process = walk->process_index,
				    .kind = from->kind,
				    .address = from->address,
				    .first_ticks = UINT64_MAX};
	note_block(walk->merge, index, from);
	return index;
}

/* Adds the lane's lock and returns its index in the run; UINT32_MAX: none. */
static uint32_t add_lock(const struct lane_walk *walk, const struct segment_lock *from)
{
	struct locks *locks = &walk->merge->locks;
	struct merge_lock *lock;
	uint32_t index;

	if (!from->address)
		return UINT32_MAX; /* the writer died in between */
	index = lock_at(walk, from);
	if (index == UINT32_MAX) {
		count_add(&locks->folded_count, from->lock_count);
		count_add(&locks->folded_count, from->wait_count);
		return index;
	}
	lock = &locks->all[index];
	count_add(&lock->lock_count, from->lock_count);
	count_add(&lock->wait_count, from->wait_count);
	count_add(&lock->wait_ticks, from->wait_ticks);
	count_add(&lock->hold_count, from->hold_count);
	count_add(&lock->hold_ticks, from->hold_ticks);
	count_raise(&lock->longest_wait_ticks, from->longest_wait_ticks);
	count_raise(&lock->longest_hold_ticks, from->longest_hold_ticks);
	if (from->first_ticks < lock->first_ticks) {
		lock->first_ticks = from->first_ticks;
		lock->first_path = place_path(walk, from->first_node);
	}
	if (from->times && from->times < walk->data.lock_time_count)
		histogram_add_part(&walk->merge->pool, &lock->waits,
				   &walk->data.lock_times[from->times], 1, 1);
	return index;
}

static void add_wait(const struct lane_walk *walk, const struct segment_lock_wait *from,
		     uint32_t lock)
{
	struct locks *locks = &walk->merge->locks;
	uint32_t index = (uint32_t)locks->wait_count;

	if (locks->wait_count >= LOCK_WAITS_MOST) {
		count_add(&locks->folded_count, from->count);
		return;
	}
	POOL_ADD(&walk->merge->pool, locks->waits, locks->wait_count) =
		(struct merge_lock_wait){.lock = lock,
					 .waiter_lane = walk->lane,
					 .holder_lane = LOCK_NO_LANE,
					 .waiter_path = place_path(walk, from->node),
					 .count = from->count,
					 .ticks = from->ticks,
					 .longest_ticks = from->longest_ticks};
	locks_add_place(walk->merge,
			(struct lock_place){walk->process_index, from->holder_slot,
					    from->holder_node, index, LOCK_PLACE_HOLDER});
	locks_add_place(walk->merge,
			(struct lock_place){walk->process_index, from->holder_slot,
					    from->taken_node, index, LOCK_PLACE_TAKEN});
}

/*
 * The waits for other threads, one by one (struct segment_stall). Must not follow an
 * index that was not compared with its count.
 */

/* The most that one run has. More is thinned as the shim does it. */
#define STALLS_MOST (1u << 17)

static void thin(struct stalls *stalls)
{
	size_t kept = 0;

	stalls->thinning++;
	for (size_t i = 0; i < stalls->count; i++)
		if (segment_stall_is_kept(&stalls->all[i].from, stalls->thinning))
			stalls->all[kept++] = stalls->all[i];
	stalls->count = kept;
}

static int is_whole(const struct segment_stall *stall)
{
	return stall->kind >= SEGMENT_LOCK_MUTEX && stall->kind <= SEGMENT_LOCK_CALL &&
	       stall->begin_ticks <= stall->end_ticks;
}

static int is_nap(const struct segment_stall *stall)
{
	return stall->kind >= SEGMENT_LOCK_SLEEP;
}

static void add(struct merge *merge, const struct merge_stall *stall)
{
	struct stalls *stalls = &merge->locks.stalls;

	while (stalls->count >= STALLS_MOST &&
	       stalls->thinning < SEGMENT_STALL_THINNING_MOST)
		thin(stalls);
	if (stalls->count >= STALLS_MOST) {
		count_add(&stalls->lost_count, 1);
		return;
	}
	if (!segment_stall_is_kept(&stall->from, stalls->thinning))
		return;
	POOL_ADD(&merge->pool, stalls->all, stalls->count) = *stall;
}

/* Adds the stalls of a lane. locks: maps the lane's lock numbers to the run's. Holders
 * are not known yet. */
static void stalls_add_lane(const struct lane_walk *walk, const uint32_t *locks)
{
	const struct read_lane_data *from = &walk->data;
	struct stalls *stalls = &walk->merge->locks.stalls;

	count_add(&stalls->lost_count, from->header.lost_stall_count);
	while (stalls->thinning < from->header.stall_thinning &&
	       stalls->thinning < SEGMENT_STALL_THINNING_MOST)
		thin(stalls);
	for (uint32_t i = 1; i < from->stall_count; i++) {
		struct merge_stall stall = {.from = from->stalls[i],
					    .lane = walk->lane,
					    .holder_lane = UINT32_MAX};

		if (!stall.from.kind)
			continue; /* the writer died in between */
		if (!is_whole(&stall.from) ||
		    (!is_nap(&stall.from) && stall.from.lock >= from->lock_count)) {
			walk->merge->damaged_count++;
			continue;
		}
		stall.lock = is_nap(&stall.from) ? UINT32_MAX : locks[stall.from.lock];
		stall.waiter_path = place_path(walk, stall.from.node);
		add(walk->merge, &stall);
	}
}

void locks_add_lane(const struct lane_walk *walk)
{
	const struct read_lane_data *from = &walk->data;
	struct merge *merge = walk->merge;
	auto_free uint32_t *numbers = xcalloc(from->lock_count + 1u, sizeof(*numbers));

	count_add(&merge->locks.folded_count, from->header.folded_lock_count);
	for (uint32_t i = 1; i < from->lock_count; i++)
		numbers[i] = add_lock(walk, &from->locks[i]);
	for (uint32_t i = 1; i < from->lock_wait_count; i++) {
		const struct segment_lock_wait *wait = &from->lock_waits[i];

		if (!wait->count)
			continue; /* the writer died in between */
		if (!wait->lock || wait->lock >= from->lock_count)
			merge->damaged_count++;
		else if (numbers[wait->lock] != UINT32_MAX)
			add_wait(walk, wait, numbers[wait->lock]);
	}
	stalls_add_lane(walk, numbers);
}

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
	const struct read_run *run = merge->run;
	struct locks *locks = &merge->locks;
	size_t first = 0, end;

	if (locks->place_count)
		qsort(locks->places, locks->place_count, sizeof(*locks->places), by_lane);
	for (; first < locks->place_count; first = end) {
		const struct lock_place *place = &locks->places[first];
		int64_t lane;

		for (end = first + 1; end < locks->place_count &&
				      by_lane(place, &locks->places[end]) == 0;)
			end++;
		lane = read_find_lane(run, run->processes[place->process].file,
				      place->lane_slot);
		if (lane >= 0 && run->lanes[lane].process == place->process)
			settle_lane(merge, (uint32_t)lane, place, end - first);
	}
}

static const char *name_of_path(const struct merge *merge, uint32_t path)
{
	return path ? merge->identify.functions[merge->paths[path].function].name
		    : "[outside of any function]";
}

/* Between the texts, with an offset that is not 0. */
static const char *compose(struct merge *merge, const char *before, const char *name,
			   const char *after, uint64_t offset)
{
	auto_free char *text = offset ? xasprintf("%s%s%s + %llu", before, name, after,
						  (unsigned long long)offset)
				      : xasprintf("%s%s%s", before, name, after);

	return intern_name(&merge->names, intern_text(&merge->names, text, NULL));
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
		lock->name = lock->kind == SEGMENT_LOCK_SIGNAL ? "[a signal]"
							       : "[end of a thread]";
		return;
	}
	if (lock->block_path) {
		lock->naming = LOCK_NAMED_BY_BLOCK;
		lock->name = compose(merge, "[block of ",
				     name_of_path(merge, lock->block_path), "]",
				     lock->block_offset);
		return;
	}
	if (module != MODULE_NONE)
		lock->module = merge->identify.modules.all[module].from->path;
	if (module != MODULE_NONE &&
	    symbols_variable(modules_symbols(&merge->identify.modules, module), address,
			     &symbol, &offset) == 0) {
		lock->naming = LOCK_NAMED_BY_VARIABLE;
		lock->name = compose(merge, "", symbol.name, "", offset);
		return;
	}
	lock->name = compose(merge, "[first used by ",
			     name_of_path(merge, lock->first_path), "]", 0);
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
		count_add(&last->count, next->count);
		count_add(&last->ticks, next->ticks);
		count_raise(&last->longest_ticks, next->longest_ticks);
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

		locks_add_place(merge, place);
		place.node = stall->from.taken_node;
		place.what = LOCK_PLACE_STALL_TAKEN;
		locks_add_place(merge, place);
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
