/* SPDX-License-Identifier: MIT */
/* The table of functions. Written under the process lock. */
#include "shim/patch/modes.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/frames.h"
#include "shim/lane/functions.h"
#include "shim/lane/ways.h"
#include "shim/patch/known.h"
#include "shim/patch/owners.h"
#include "shim/patch/sites.h"
#include "shim/patch/arenas.h"
#include "shim/patch/stubs.h"
#include "shim/patch/text.h"

uint32_t modes_count, modes_version, modes_early_version;

void modes_begin_early(void)
{
	if (!modes_early_version)
		__atomic_store_n(&modes_early_version, 1, __ATOMIC_RELEASE);
}

void modes_change_early(void)
{
	if (!modes_early_version)
		return;
	/* release: whoever sees the change sees its cause */
	__atomic_fetch_add(&modes_early_version, 1, __ATOMIC_RELEASE);
}

uint32_t cold modes_find_slow(uint64_t function)
{
	return owners_find(function, 0, 0);
}

uint32_t modes_own(uint32_t number)
{
	return owners_at(number)->own;
}

int modes_is_part(uint32_t number)
{
	const struct site_owner *owner = owners_at(number);

	return owner->own != number && !owners_have_edges(owner);
}

uint64_t modes_counted(uint32_t number, const uint64_t *counts)
{
	uint64_t sum = 0;

	for (; number; number = owners_at(number)->next_part)
		sum += counts[number];
	return sum;
}

enum segment_recording modes_recording(uint32_t number)
{
	return owners_at(number)->recording;
}

int cold modes_are_in(uint64_t low, uint64_t high)
{
	for (uint32_t i = 1; owners_may_be_in(low, high) && i < modes_count; i++) {
		if (owners_at(i)->function >= low && owners_at(i)->function < high)
			return 1;
	}
	return 0;
}

int cold modes_has_copies_in(uint64_t host)
{
	return modes_count && owners_have_host(host);
}

int modes_has_early_sites(uint32_t number)
{
	return owners_at(number)->has_early;
}

uint32_t modes_find_early(uint64_t function, uintptr_t return_address)
{
	uint32_t number = modes_find(function);
	const struct site_owner *owner;

	if (!number)
		return 0;
	owner = owners_at(number);
	if (!owner->has_early || (!text_is_closed && !known_has(return_address)))
		return 0;
	return owner->recording == SEGMENT_RECORDING_COUNTED ? number : 0;
}

struct segment_mode *modes_record(uint32_t number)
{
	struct segment_array *array = &process->segment->modes;
	struct segment_mode *records = arrays_entries(process->segment, array);
	static struct segment_mode nobodys;

	return number < array->count ? &records[number] : &nobodys;
}

uint64_t modes_function(uint32_t number)
{
	return owners_at(number)->function;
}

/* Every lane needs a count for a number before any call site uses it. */
static int grow_counts(uint32_t end)
{
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		if (process_grow(lane->lane, lane->slot, ARRAY_COUNTS, end) < 0)
			return 0;
	}
	return 1;
}

static void use_counts(struct lane_context *context)
{
	struct segment_count *counts =
		arrays_entries(context->lane, &context->lane->counts);

	context->lane->counts.count = context->lane->counts.committed;
	context->counts = &counts->call_count;
}

void modes_begin_lane(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;

	if (modes_count &&
	    process_grow(lane, context->slot, ARRAY_COUNTS, modes_count) == 0)
		use_counts(context);
}

/* Adds the next number. own: the function's, when this one is for some of its calls only;
 * else 0. Returns 0: no room. */
static uint32_t add(uint64_t function, uint64_t host, uint64_t site, uint32_t own)
{
	uint32_t number = modes_count ? modes_count : 1;

	if (number >= SEGMENT_MODE_LIMIT || !grow_counts(number + 1) ||
	    process_grow(process->segment, process->slot, ARRAY_MODES, number + 1) < 0)
		return 0;
	ways_begin();
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane)
		use_counts(lane);
	arrays_publish(&process->segment->modes, number + 1);
	*modes_record(number) =
		(struct segment_mode){.key = function, .host = host, .site = site};
	if (!owners_add(&(struct site_owner){.function = function,
					     .address = function,
					     .host = host,
					     .site = site,
					     .number = number,
					     .own = own ? own : number}))
		return 0;
	modes_count = number + 1;
	modes_version += site <= SEGMENT_SITE_ANY || site & SEGMENT_KEY_RETURN_ADDRESS;
	return number;
}

/* The number for some of a function's calls. Half of all numbers are kept for functions.
 * 0: there is none. */
static uint32_t find_or_add(uint32_t number, uint64_t host, uint64_t site)
{
	const struct site_owner *owner = owners_at(number);
	uint32_t found = owners_find(owner->function, host, site);

	if (!found && modes_count < SEGMENT_MODE_LIMIT / 2)
		found = add(owner->function, host, site, owner->own);
	return found;
}

/* The number for calls from this call of the hook: the function's own, that of copies
 * inlined into this code, or that of code that begins with this hook. 0: there is no
 * number. */
static uint32_t number_at(uint32_t number, uintptr_t return_address)
{
	uint64_t low;

	switch (sites_entry_of(owners_at(number)->function, return_address, &low)) {
	case SITE_ENTRY_COPY:
		return find_or_add(number, low,
				   return_address | SEGMENT_KEY_RETURN_ADDRESS);
	case SITE_ENTRY_FIRST:
		return find_or_add(number, low, SEGMENT_SITE_ANY);
	default:
		return number;
	}
}

static uint64_t site_of(uintptr_t call_site)
{
	return call_site & SEGMENT_KEY_ADDRESS_MASK;
}

/* Makes the number for an owner's calls from this site, and tells the stubs. While an
 * object is being unmapped or the lock is held, it leaves that to the next call. */
static uint32_t make_edge(uint32_t number, uintptr_t call_site)
{
	struct site_owner *owner = owners_at(number);
	uint32_t found = 0;
	uint64_t mask;

	if (sites_are_forbidden() || !process_try_lock(&mask))
		return number;
	if (!sites_are_forbidden()) {
		found = find_or_add(number, owner->host, site_of(call_site));
		if (owner->place)
			stubs_tell(owner->place, call_site, found ? found : number);
	}
	process_unlock(&mask);
	return found ? found : number;
}

uint32_t modes_number_at(uint32_t number, uintptr_t return_address, uintptr_t call_site)
{
	const struct site_owner *owner;
	uint32_t at = known_number(return_address), found;

	/* two functions may have one call of the hook */
	if (!at || owners_at(at)->own != number)
		return number;
	owner = owners_at(at);
	if (!owners_have_edges(owner) || call_site <= SEGMENT_SITE_ANY)
		return at;
	found = owners_find(owner->function, owner->host, site_of(call_site));
	return found ? found : make_edge(at, call_site);
}

uint32_t cold modes_number_of_edge(uint32_t place, uintptr_t call_site)
{
	uint32_t number = owners_at_place(place);

	return call_site > SEGMENT_SITE_ANY ? make_edge(number, call_site) : number;
}

/* Sends the function's calls to the hook's slow path, on all paths and in all threads:
 * those in a front table would get frames. A thread that is just adding a node there may
 * miss that. */
static void forget_fronts(uint64_t function)
{
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		ways_forget_front(lane, function);
		ways_forget(lane, function);
	}
}

/* Records what has become of its sites since the last time. */
static void record_sites(uint32_t number)
{
	struct site_owner *owner = owners_at(number);
	struct segment_mode *record = modes_record(number);

	if (owner->early_count)
		modes_begin_early();
	record->site_count += owner->led_count;
	record->early_site_count += owner->early_count;
	process_count(SEGMENT_COUNTER_PATCHED_SITES, owner->led_count);
	process_count(SEGMENT_COUNTER_EARLY_SITES, owner->early_count);
	owner->led_count = owner->early_count = 0;
}

/* Another function has the same site, which leads to that one's code. That passes this
 * function's calls on to the hook. */
static void note_foreign(uint32_t number)
{
	struct site_owner *owner = owners_at(number);

	if (owner->has_early)
		return;
	owner->has_early = 1;
	owner->early_count++;
}

void cold modes_note_enter(uint32_t number, uintptr_t return_address)
{
	int is_known = known_has(return_address);
	int had_early = owners_at(number)->has_early;
	uint64_t mask;

	/* if not now, the next call asks again */
	if ((is_known && owners_at(number)->has_early) || sites_are_forbidden() ||
	    !process_try_lock(&mask))
		return;
	if (known_has(return_address))
		note_foreign(number);
	else if (!sites_are_forbidden())
		sites_note_call(owners_at(number), return_address, 0,
				number_at(number, return_address));
	if (!had_early && owners_at(number)->has_early)
		forget_fronts(owners_at(number)->function);
	record_sites(number);
	process_unlock(&mask);
}

/* True when such an exit tells nothing new. */
static int is_exit_known(const struct modes_exit *exit, uint32_t number)
{
	return exit->return_address == exit->call_site
		       ? owners_at(number)->has_searched_jumps
		       : known_has(exit->return_address);
}

static void note_exit(uint32_t number, const struct modes_exit *exit)
{
	if (is_exit_known(exit, number))
		return;
	if (exit->return_address == exit->call_site)
		sites_note_jumps(owners_at(number));
	else
		sites_note_call(owners_at(number), exit->return_address, 1, number);
}

void cold modes_note_exit(uint32_t number, const struct modes_exit *exit)
{
	uint64_t mask;

	if (is_exit_known(exit, number) || sites_are_forbidden() ||
	    !process_try_lock(&mask))
		return;
	if (!sites_are_forbidden())
		note_exit(number, exit);
	record_sites(number);
	process_unlock(&mask);
}

static void record_change(uint32_t number, enum segment_recording recording,
			  enum segment_reason reason)
{
	struct segment_mode *record = modes_record(number);

	record->since_ticks = clock_now();
	record->recording = recording;
	if (record->least < (uint32_t)recording)
		record->least = recording;
	record->reason = reason;
	record->change_count++;
	process_count(SEGMENT_COUNTER_MODE_CHANGES, 1);
}

/* Functions with triggers stay exact: their hooks have work to do. */
static int is_kept_exact(uint64_t function, enum segment_recording recording)
{
	return recording != SEGMENT_RECORDING_EXACT && trigger_count &&
	       trigger_find(function);
}

/* Under the lock. */
static uint32_t set(uint64_t function, enum segment_recording recording,
		    enum segment_reason reason)
{
	uint32_t number = modes_find(function);

	/* ask again: it may have got triggers before we had the lock */
	if (sites_are_forbidden() || is_kept_exact(function, recording))
		number = 0;
	else if (!number)
		number = add(function, 0, 0, 0);
	if (number && owners_at(number)->recording != recording) {
		owners_at(number)->recording = (uint8_t)recording;
		modes_change_early();
		owners_at(number)->keeps_exits =
			recording == SEGMENT_RECORDING_COUNTED ? EXITS_KEPT : EXITS_CUT;
		sites_write(owners_at(number));
		if (owners_at(number)->has_early)
			forget_fronts(function);
		record_change(number, recording, reason);
	}
	return number;
}

uint32_t cold modes_set(uint64_t function, enum segment_recording recording,
			enum segment_reason reason)
{
	/* the budget finds it again at its next look */
	int is_optional =
		reason == SEGMENT_REASON_BUDGET && recording != SEGMENT_RECORDING_EXACT;
	uint32_t number;
	uint64_t mask;

	if (is_kept_exact(function, recording) || sites_are_forbidden() ||
	    !(is_optional ? process_try_lock(&mask) : process_lock(&mask)))
		return 0;
	number = set(function, recording, reason);
	process_unlock(&mask);
	return number;
}

uint32_t cold modes_take(uint64_t function, const struct modes_exit *exit)
{
	int had_early, is_batch;
	uint32_t number;
	uint64_t mask;

	if (is_kept_exact(function, SEGMENT_RECORDING_COUNTED) || sites_are_forbidden() ||
	    !process_try_lock(&mask))
		return 0;
	is_batch = text_begin() == 0;
	number = modes_find(function);
	if (!number || owners_at(number)->recording == SEGMENT_RECORDING_EXACT)
		number = set(function, SEGMENT_RECORDING_COUNTED, SEGMENT_REASON_BUDGET);
	if (number && !sites_are_forbidden()) {
		had_early = owners_at(number)->has_early;
		note_exit(number, exit);
		sites_find_entry(owners_at(number));
		if (!had_early && owners_at(number)->has_early)
			forget_fronts(function);
		record_sites(number);
	}
	if (is_batch)
		text_end();
	process_unlock(&mask);
	return number;
}

void cold modes_keep_exits(uint32_t number)
{
	struct site_owner *owner = owners_at(number);
	uint64_t mask;

	if (!frames_are_open(owner->function) || !process_lock(&mask))
		return;
	owner->keeps_exits = EXITS_NEEDED;
	if (!sites_are_forbidden())
		sites_write(owner);
	process_unlock(&mask);
}

/* 1: its open frames were searched. */
static int cut_exits(struct site_owner *owner, int *has_new)
{
	if (owner->recording == SEGMENT_RECORDING_EXACT ||
	    owner->keeps_exits == EXITS_CUT)
		return 0;
	if (owner->keeps_exits == EXITS_KEPT) {
		owner->keeps_exits = EXITS_NEEDED;
		*has_new = 1;
		return 0;
	}
	if (!frames_are_open(owner->function)) {
		owner->keeps_exits = EXITS_CUT;
		sites_write(owner);
	}
	return 1;
}

#define CUT_SEARCHED 4096u
#define CUT_MOST 64u

void cold modes_cut_exits(void)
{
	static uint32_t next_number;
	uint32_t asked_count = 0;
	int has_new = 0, is_batch;
	uint64_t mask;

	if (sites_are_forbidden() || !process_try_lock(&mask))
		return;
	is_batch = text_begin() == 0;
	for (uint32_t i = 1;
	     i < modes_count && i < CUT_SEARCHED && asked_count < CUT_MOST; i++) {
		next_number = next_number + 1 < modes_count ? next_number + 1 : 1;
		asked_count += (uint32_t)cut_exits(owners_at(next_number), &has_new);
	}
	if (is_batch)
		text_end();
	/* calls from unknown sites would still get frames */
	for (struct lane_context *lane = process->lanes; has_new && lane;
	     lane = lane->next_lane)
		ways_forget_front(lane, 0);
	process_unlock(&mask);
}
