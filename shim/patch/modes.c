/* SPDX-License-Identifier: MIT */
/* The tables of functions and sites. Written under the process lock. */
#include "shim/patch/modes.h"

#include "shim/core/clock.h"
#include "shim/core/process.h"
#include "shim/lane/lane.h"
#include "shim/patch/code.h"
#include "shim/patch/known.h"
#include "shim/patch/site.h"
#include "shim/patch/stubs.h"
#include "shim/patch/text.h"

#define SITE_LIMIT 65536u
#define HASH_BITS 15
#define HASH_LIMIT (1u << HASH_BITS)

_Static_assert(SEGMENT_MODE_LIMIT <= HASH_LIMIT / 2, "the search finds an end");

/* What the shim has of a function beside its entry in the segment. */
struct mode {
	uint64_t function; /* 0: its object is not mapped */
	uint32_t first_site;
	uint8_t recording;	 /* enum segment_recording */
	uint8_t has_early_sites; /* entries */
	uint8_t has_searched_jumps;
};

/* Mapped when the first function gets an entry. */
struct tables {
	uint16_t numbers[HASH_LIMIT]; /* by function: open addressing */
	struct mode modes[SEGMENT_MODE_LIMIT];
	struct site sites[SITE_LIMIT];
	uint32_t site_count;
};

static struct tables *tables;
uint32_t modes_count;

static uint32_t hash_of(uint64_t function)
{
	return (uint32_t)(function * 0x9e3779b97f4a7c15ull >> (64 - HASH_BITS));
}

uint32_t cold modes_find_slow(uint64_t function)
{
	uint32_t at = hash_of(function), number;

	/* acquire: pairs with the release in list(); the entry is whole */
	while ((number = __atomic_load_n(&tables->numbers[at], __ATOMIC_ACQUIRE))) {
		if (tables->modes[number].function == function)
			return number;
		at = (at + 1) % HASH_LIMIT;
	}
	return 0;
}

enum segment_recording modes_recording(uint32_t number)
{
	return tables->modes[number].recording;
}

int modes_has_early_sites(uint32_t number)
{
	return tables->modes[number].has_early_sites;
}

/* A forked child may have had no room for its parent's. */
static struct segment_mode *record_of(uint32_t number)
{
	struct segment_array *array = &process->segment->modes;
	struct segment_mode *records = arrays_entries(process->segment, array);
	static struct segment_mode nobodys;

	return number < array->count ? &records[number] : &nobodys;
}

uint64_t modes_function(uint32_t number)
{
	return tables->modes[number].function;
}

const struct segment_mode *modes_record(uint32_t number)
{
	return record_of(number);
}

/* Every lane has a count for each function before any call site uses it. */
static int grow_counts(uint32_t end)
{
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane) {
		if (process_grow(lane->lane, lane->slot, ARRAY_COUNTS, end) < 0 ||
		    process_grow(lane->lane, lane->slot, ARRAY_WINDOWS, end) < 0)
			return 0;
	}
	return 1;
}

static void use_counts(struct lane_context *context)
{
	struct segment_count *counts =
		arrays_entries(context->lane, &context->lane->counts);

	context->lane->counts.count = context->lane->counts.committed;
	context->lane->windows.count = context->lane->windows.committed;
	context->all_counts = &counts->call_count;
	if (!context->is_at_window)
		context->counts = context->all_counts;
}

void modes_begin_lane(struct lane_context *context)
{
	struct segment_lane *lane = context->lane;

	if (!modes_count ||
	    process_grow(lane, context->slot, ARRAY_COUNTS, modes_count) < 0 ||
	    process_grow(lane, context->slot, ARRAY_WINDOWS, modes_count) < 0)
		return;
	use_counts(context);
}

static int begin_tables(void)
{
	if (!tables)
		tables = process_map(sizeof(*tables), 0);
	return tables != NULL;
}

static void list(uint32_t number)
{
	uint32_t at = hash_of(tables->modes[number].function);

	while (tables->numbers[at])
		at = (at + 1) % HASH_LIMIT;
	/* release: pairs with the acquire in modes_find_slow() */
	__atomic_store_n(&tables->numbers[at], (uint16_t)number, __ATOMIC_RELEASE);
}

/* A new entry. 0: no room. */
static uint32_t add(uint64_t function)
{
	uint32_t number = modes_count ? modes_count : 1;

	if (!begin_tables() || number >= SEGMENT_MODE_LIMIT || !grow_counts(number + 1) ||
	    process_grow(process->segment, process->slot, ARRAY_MODES, number + 1) < 0)
		return 0;
	for (struct lane_context *lane = process->lanes; lane; lane = lane->next_lane)
		use_counts(lane);
	arrays_publish(&process->segment->modes, number + 1);
	*record_of(number) = (struct segment_mode){.key = function};
	tables->modes[number] = (struct mode){.function = function};
	modes_count = number + 1;
	list(number);
	return number;
}

/* The code that a site is to lead to. 0: it is cut out, or is what it was. */
static enum stub_kind kind_of(const struct site *site, enum segment_recording recording)
{
	if (site->is_exit)
		return STUB_EXIT;
	if (recording == SEGMENT_RECORDING_OFF)
		return STUB_RETURN;
	return recording == SEGMENT_RECORDING_WINDOWS ? STUB_WINDOWS : STUB_COUNTED;
}

static int lead(struct site *site, const struct code *code, uint32_t number,
		enum segment_recording recording)
{
	const uintptr_t *slot = NULL;
	uintptr_t stub = stubs_find(site->at, code->object.low, kind_of(site, recording),
				    number, &slot);

	return stub ? site_lead(site, code, stub, slot) : -1;
}

/*
 * Writes a site as the function is recorded. Exits: once its function has had calls
 * without a frame, an exit must not come to the hook, which would look for the frame and
 * close those above one of an outer call. So they lead to the exit's code for good.
 */
static int write_site(struct site *site, uint32_t number,
		      enum segment_recording recording)
{
	struct code code;

	if (site->form == SITE_EARLY)
		return 0;
	if (!site->at || code_find(site->at, &code) < 0 || !site_is_there(site, &code))
		return -1;
	if (recording == SEGMENT_RECORDING_OFF ||
	    (recording == SEGMENT_RECORDING_COUNTED && site->is_exit)) {
		if (site_cut(site, &code) == 0)
			return 0;
		return lead(site, &code, number, recording);
	}
	if (recording == SEGMENT_RECORDING_EXACT && !site->is_exit)
		return site_restore(site, &code);
	return lead(site, &code, number, recording);
}

/* Notes a site that leads to the hook for good. */
static void keep_early(uint32_t number, struct site *site)
{
	struct mode *mode = &tables->modes[number];

	site->form = SITE_EARLY;
	if (!site->is_exit)
		mode->has_early_sites = 1;
	record_of(number)->early_site_count++;
	process_count(SEGMENT_COUNTER_EARLY_SITES, 1);
}

/* Adds a site, and writes it when it can be. */
static void add_site(uint32_t number, const struct site *found, int is_exit)
{
	struct mode *mode = &tables->modes[number];
	uint32_t index = tables->site_count + 1;
	struct site *site = &tables->sites[index];

	if (index == SITE_LIMIT)
		return;
	*site = *found;
	site->is_exit = (uint16_t)is_exit;
	tables->site_count = index;
	if (site->form == SITE_EARLY || write_site(site, number, mode->recording) < 0) {
		keep_early(number, site);
	} else {
		record_of(number)->site_count++;
		process_count(SEGMENT_COUNTER_PATCHED_SITES, 1);
	}
	site->next = mode->first_site;
	mode->first_site = index;
}

/* The site before this return address, whatever it is. */
static void note_site(uint32_t number, uintptr_t return_address, uintptr_t hook,
		      int is_exit)
{
	struct site site;
	struct code code;

	known_add(return_address);
	if (code_find(return_address, &code) < 0)
		return;
	if (site_before(&code, return_address, hook, &site) < 0)
		site = (struct site){.at = return_address - 5, .form = SITE_EARLY};
	add_site(number, &site, is_exit);
}

void cold modes_note_enter(uint32_t number, uintptr_t return_address)
{
	uint64_t mask;

	if (known_has(return_address) || !process_lock(&mask))
		return;
	if (!known_has(return_address))
		note_site(number, return_address, stub_targets.enter_hook, 0);
	process_unlock(&mask);
}

/* All jumps to the exit hook in a function are its own: the exits of what is inlined come
 * before its own, and are calls. */
static void note_jumps(uint32_t number)
{
	struct mode *mode = &tables->modes[number];
	uintptr_t function = tables->modes[number].function, at = function;
	struct extent extent;
	struct code code;
	struct site site;

	mode->has_searched_jumps = 1;
	if (code_find(function, &code) < 0 ||
	    code_function(&code, function, &extent) < 0 || extent.low != function)
		return;
	while (site_jump(&code, &extent, stub_targets.exit_hook, &at, &site) == 0)
		add_site(number, &site, 1);
}

void cold modes_note_exit(uint32_t number, uintptr_t return_address, uintptr_t call_site)
{
	int was_jump = return_address == call_site;
	uint64_t mask;

	if (was_jump ? tables->modes[number].has_searched_jumps
		     : known_has(return_address))
		return;
	if (!process_lock(&mask))
		return;
	if (was_jump && !tables->modes[number].has_searched_jumps)
		note_jumps(number);
	else if (!was_jump && !known_has(return_address))
		note_site(number, return_address, stub_targets.exit_hook, 1);
	process_unlock(&mask);
}

static void record_change(uint32_t number, enum segment_recording recording,
			  enum segment_reason reason)
{
	struct segment_mode *record = record_of(number);

	record->since_ticks = clock_now();
	record->recording = recording;
	if (record->least < (uint32_t)recording)
		record->least = recording;
	record->reason = reason;
	record->change_count++;
	process_count(SEGMENT_COUNTER_MODE_CHANGES, 1);
}

/* Exits first when their code is the more careful one, entries first when it is not. */
static void write_sites(uint32_t number, enum segment_recording recording)
{
	int exits_first = recording != SEGMENT_RECORDING_COUNTED &&
			  recording != SEGMENT_RECORDING_OFF;

	text_begin();
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = tables->modes[number].first_site; i;
		     i = tables->sites[i].next) {
			struct site *site = &tables->sites[i];

			if (site->is_exit == (pass == 0 ? exits_first : !exits_first))
				write_site(site, number, recording);
		}
	}
	text_end();
}

uint32_t cold modes_set(uint64_t function, enum segment_recording recording,
			enum segment_reason reason)
{
	uint32_t number;
	uint64_t mask;

	if (!process_lock(&mask))
		return 0;
	number = modes_find(function);
	if (!number)
		number = add(function);
	if (number && tables->modes[number].recording != recording) {
		tables->modes[number].recording = (uint8_t)recording;
		write_sites(number, recording);
		record_change(number, recording, reason);
	}
	process_unlock(&mask);
	return number;
}

int modes_fit(const struct segment_process *to, const struct segment_process *from)
{
	const struct segment_mode *own = arrays_entries(to, &to->modes);
	const struct segment_mode *theirs = arrays_entries(from, &from->modes);
	uint32_t have = arrays_count(&to->modes);

	if (have > modes_count)
		return 0;
	for (uint32_t i = 1; i < have; i++) {
		if (own[i].key != theirs[i].key)
			return 0;
	}
	return 1;
}

void modes_adopt(struct segment_process *to, const struct segment_process *from)
{
	const struct segment_mode *theirs = arrays_entries(from, &from->modes);
	struct segment_mode *own = arrays_entries(to, &to->modes);
	uint32_t have = arrays_count(&to->modes);

	if (!modes_count ||
	    process_grow(to, process_facts.slot, ARRAY_MODES, modes_count) < 0)
		return;
	for (uint32_t i = have ? have : 1; i < modes_count; i++)
		own[i] = theirs[i];
	arrays_publish(&to->modes, modes_count);
}

/* The text is gone, with what was written to it. */
static void forget_sites(uint32_t number)
{
	tables->modes[number].first_site = 0;
	tables->modes[number].has_early_sites = 0;
	tables->modes[number].has_searched_jumps = 0;
	tables->modes[number].recording = SEGMENT_RECORDING_EXACT;
	record_of(number)->recording = SEGMENT_RECORDING_EXACT;
}

void modes_retire(uint64_t low, uint64_t high, uint64_t module)
{
	known_forget(low, high);
	for (uint32_t i = 1; modes_count && i <= tables->site_count; i++) {
		if (tables->sites[i].at >= low && tables->sites[i].at < high)
			tables->sites[i].at = 0;
	}
	for (uint32_t i = 1; i < modes_count; i++) {
		struct mode *mode = &tables->modes[i];

		if (mode->function < low || mode->function >= high)
			continue;
		record_of(i)->key |= module << SEGMENT_KEY_MODULE_SHIFT;
		forget_sites(i);
		mode->function = 0;
	}
}

void modes_bring_back(uint64_t module)
{
	for (uint32_t i = 1; i < modes_count; i++) {
		uint64_t key = record_of(i)->key;

		if (tables->modes[i].function ||
		    key >> SEGMENT_KEY_MODULE_SHIFT != module)
			continue;
		record_of(i)->key = key & SEGMENT_KEY_ADDRESS_MASK;
		tables->modes[i].function = key & SEGMENT_KEY_ADDRESS_MASK;
	}
}
