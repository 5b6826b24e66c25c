/* SPDX-License-Identifier: MIT */
/*
 * The table of functions in a forked child, and when code goes away and comes back.
 * Written under the process lock, which the caller has unless it is taken here.
 */
#include "shim/patch/modes.h"

#include "shim/core/process.h"
#include "shim/patch/arenas.h"
#include "shim/patch/owners.h"
#include "shim/patch/sites.h"
#include "shim/patch/text.h"

int modes_fit(const struct segment_process *to, const struct segment_process *from)
{
	const struct segment_mode *own = arrays_entries(to, &to->modes);
	const struct segment_mode *theirs = arrays_entries(from, &from->modes);
	uint32_t have = arrays_count(&to->modes);
	uint32_t common = have < modes_count ? have : modes_count;

	for (uint32_t i = 1; i < common; i++) {
		if (own[i].key != theirs[i].key || own[i].host != theirs[i].host ||
		    own[i].site != theirs[i].site)
			return 0;
	}
	return 1;
}

/* Takes over entries that a former process of the slot has and the parent does not. A
 * function's own entry comes before those for parts of its calls. */
static void adopt_former(struct segment_mode *own, uint32_t have)
{
	for (uint32_t i = modes_count ? modes_count : 1; i < have; i++) {
		uint64_t key = own[i].key;
		int is_mapped = key == (key & SEGMENT_KEY_ADDRESS_MASK);
		uint32_t number;

		own[i].recording = SEGMENT_RECORDING_EXACT;
		number = (own[i].host || own[i].site) && is_mapped ? modes_find(key) : 0;
		if (!owners_add(&(struct site_owner){.function = is_mapped ? key : 0,
						     .address = key &
								SEGMENT_KEY_ADDRESS_MASK,
						     .host = own[i].host,
						     .site = own[i].site,
						     .number = i,
						     .own = number ? number : i}))
			return;
		modes_count = i + 1;
		modes_version++;
	}
}

void modes_adopt(struct segment_process *to, const struct segment_process *from)
{
	const struct segment_mode *theirs = arrays_entries(from, &from->modes);
	struct segment_mode *own = arrays_entries(to, &to->modes);
	uint32_t have = arrays_count(&to->modes);

	if (have > modes_count)
		adopt_former(own, have);
	if (!modes_count ||
	    process_grow(to, process_facts.slot, ARRAY_MODES, modes_count) < 0)
		return;
	for (uint32_t i = 1; i < modes_count; i++) {
		if (i >= have) {
			own[i] = theirs[i];
			own[i].least = own[i].change_count = 0;
			own[i].site_count = own[i].early_site_count = 0;
		}
		if (i < arrays_count(&from->modes))
			own[i].recording = theirs[i].recording;
		if (own[i].least < own[i].recording)
			own[i].least = own[i].recording;
	}
	arrays_publish(&to->modes, modes_count);
}

static void retire(struct site_owner *owner, uint64_t module)
{
	struct segment_mode *record = modes_record(owner->number);

	record->key |= module << SEGMENT_KEY_MODULE_SHIFT;
	record->recording = owner->recording = SEGMENT_RECORDING_EXACT;
	owner->has_early = owner->has_searched_jumps = owner->keeps_exits = 0;
	owner->function = 0;
}

static uint64_t module_of(uint64_t key)
{
	return key >> SEGMENT_KEY_MODULE_SHIFT & SEGMENT_KEY_MODULE_MASK;
}

static uint64_t back_from(uint64_t key, uint64_t module)
{
	return module_of(key) == module ? key & ~(module << SEGMENT_KEY_MODULE_SHIFT)
					: key;
}

static int is_mapped_in(uint64_t key, uint64_t low, uint64_t high)
{
	uint64_t address = key & ~SEGMENT_KEY_RETURN_ADDRESS; /* and no module */

	return address >= low && address < high;
}

/* What is mapped there next is a different host with different sites. */
static void retire_caller(struct site_owner *owner, uint64_t low, uint64_t high,
			  uint64_t module)
{
	if (is_mapped_in(owner->host, low, high))
		owner->host |= module << SEGMENT_KEY_MODULE_SHIFT;
	if (is_mapped_in(owner->site, low, high))
		owner->site |= module << SEGMENT_KEY_MODULE_SHIFT;
	modes_record(owner->number)->host = owner->host;
	modes_record(owner->number)->site = owner->site;
}

void modes_retire(uint64_t low, uint64_t high, uint64_t module)
{
	if (!modes_count)
		return;
	modes_change_early();
	sites_forget(low, high);
	for (uint32_t i = 1; i < modes_count; i++) {
		struct site_owner *owner = owners_at(i);

		sites_drop_forgotten(owner);
		if (owner->function >= low && owner->function < high)
			retire(owner, module);
		retire_caller(owner, low, high, module);
	}
}

void modes_bring_back(uint64_t module)
{
	for (uint32_t i = 1; i < modes_count; i++) {
		uint64_t key = modes_record(i)->key;

		owners_at(i)->host = back_from(owners_at(i)->host, module);
		owners_at(i)->site = back_from(owners_at(i)->site, module);
		modes_record(i)->host = owners_at(i)->host;
		modes_record(i)->site = owners_at(i)->site;
		if (!owners_at(i)->function &&
		    key >> SEGMENT_KEY_MODULE_SHIFT == module) {
			modes_record(i)->key = key & SEGMENT_KEY_ADDRESS_MASK;
			owners_at(i)->function = key & SEGMENT_KEY_ADDRESS_MASK;
		}
		owners_list(i);
	}
}

void modes_begin_unloading(void)
{
	uint64_t mask;

	if (!process_is_ready() || !process_lock(&mask))
		return;
	sites_forbid();
	process_unlock(&mask);
}

void modes_end_unloading(void)
{
	uint64_t mask;

	if (!process_is_ready() || !process_lock(&mask))
		return;
	sites_allow();
	process_unlock(&mask);
}

static void note_early(void)
{
	modes_begin_early();
	for (uint32_t i = 1; i < modes_count; i++)
		owners_at(i)->has_early = 1;
}

void modes_leave_stubs(uintptr_t low, uintptr_t high)
{
	uintptr_t arena;
	uint64_t mask;

	if (!process_is_ready() || !arenas_in(low, high) || !process_lock(&mask))
		return;
	while ((arena = arenas_in(low, high))) {
		sites_leave_stubs(arena, arena + ARENA_BYTES);
		arenas_give_up(arena);
	}
	note_early();
	process_unlock(&mask);
}

void modes_leave_code(uintptr_t low, uintptr_t high)
{
	uint64_t mask;

	if (!process_is_ready() || text_is_left(low, high) || !process_lock(&mask))
		return;
	sites_leave(low, high);
	note_early();
	process_unlock(&mask);
}
