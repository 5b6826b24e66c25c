/* SPDX-License-Identifier: MIT */
/* The table of sites, and which code each leads to. Runs on: as sites.h says. */
#include "shim/patch/sites.h"

#include "shim/core/process.h"
#include "shim/core/syscall.h"
#include "shim/patch/scan.h"
#include "shim/code/code.h"
#include "shim/patch/known.h"
#include "shim/patch/owners.h"
#include "shim/patch/site.h"
#include "shim/patch/stubs.h"
#include "shim/patch/text.h"

#define SITE_LIMIT (1u << 20)
#define PAGE_BYTES 4096ul
#define ENTRY_BYTES 256u       /* of a function, in which it calls the hook */
#define FIRST_BYTES PAGE_BYTES /* searched for an earlier hook */

static struct site *sites;
static uint32_t site_count, free_site;
/* A site is being written: a forked child must read the sites' state again. */
static uint32_t is_changing;
static uint32_t forbidden;

static struct site *site_at(uint32_t index)
{
	return &sites[index];
}

/* The code that a site is to lead to. */
static enum stub_kind kind_of(const struct site *site, enum segment_recording recording)
{
	if (site->is_exit)
		return STUB_EXIT;
	if (recording == SEGMENT_RECORDING_OFF)
		return STUB_NOTHING;
	return STUB_COUNTED;
}

static int lead(struct site *site, const struct code *code,
		const struct site_owner *owner)
{
	const uintptr_t *slot = NULL;
	struct stub_entry entry = owners_stub(site->number);
	uintptr_t stub;

	if (!entry.place)
		return -1;
	stub = stubs_find(&(struct stub_site){.at = site->at,
					      .object = code->object.low,
					      .hook = site->is_exit ? 0 : site_hook(site),
					      .needs_pads = site_is_in_units(site)},
			  kind_of(site, owner->recording), &entry, &slot);
	return stub ? site_lead(site, code, stub, slot) : -1;
}

static int is_cut(const struct site *site, const struct site_owner *owner)
{
	if (site->is_exit)
		return owner->recording != SEGMENT_RECORDING_EXACT &&
		       owner->keeps_exits == EXITS_CUT;
	return owner->recording == SEGMENT_RECORDING_OFF;
}

/*
 * Writes a site as the function is recorded. Once a function has had calls without a
 * frame, its exits must not reach the hook, which would take an outer call's frame for
 * theirs and close those above. So they lead to the exit's stub for good. A site is cut
 * out only if it serves no other function.
 */
static int write_site(struct site *site, const struct site_owner *owner)
{
	struct code code;

	if (site->form == SITE_EARLY)
		return 0;
	if (!site->at || code_find(site->at, &code) < 0 || !site_is_there(site, &code))
		return -1;
	if (is_cut(site, owner) && alone_is_site(site, &code, owner->function) &&
	    site_cut(site, &code) == 0)
		return 0;
	if (owner->recording == SEGMENT_RECORDING_EXACT && !site->is_exit)
		return site_restore(site, &code);
	return lead(site, &code, owner);
}

/* Notes a site that leads to the hook for good. */
static void keep_early(struct site_owner *owner, struct site *site)
{
	site->form = SITE_EARLY;
	if (!site->is_exit)
		owner->has_early = 1;
	owner->early_count++;
}

/* 0: the table is full. */
static uint32_t take_index(void)
{
	uint32_t index = free_site;

	if (!sites)
		sites = process_map(SITE_LIMIT * sizeof(*sites), 0);
	if (index) {
		free_site = site_at(index)->next;
		return index;
	}
	if (!sites || site_count + 1 == SITE_LIMIT)
		return 0;
	return ++site_count;
}

/* Adds a site and writes it if possible. Lists it first, so that a child forked meanwhile
 * finds it. */
static void add_site(struct site_owner *owner, const struct site *found, int is_exit)
{
	uint32_t index = take_index();
	struct site *site;

	if (!index) {
		struct site nowhere = *found;

		nowhere.is_exit = (uint16_t)is_exit;
		keep_early(owner, &nowhere);
		return;
	}
	site = site_at(index);
	*site = *found;
	site->is_exit = (uint16_t)is_exit;
	site->next = owner->first;
	owner->first = index;
	if (site->form == SITE_EARLY || write_site(site, owner) < 0)
		keep_early(owner, site);
	else
		owner->led_count++;
}

void sites_note_call(struct site_owner *owner, uintptr_t return_address, int is_exit,
		     uint32_t number)
{
	uintptr_t hook = is_exit ? stub_targets.exit_hook : stub_targets.enter_hook;
	struct site site;
	struct code code;

	known_add(return_address, is_exit ? 0 : number);
	if ((!is_exit && !number) || text_is_left(return_address, return_address + 1) ||
	    code_find(return_address, &code) < 0 ||
	    site_before(&code, return_address, hook, &site) < 0)
		site = (struct site){.form = SITE_EARLY};
	site.number = number;
	is_changing = 1;
	add_site(owner, &site, is_exit);
	is_changing = 0;
}

void sites_find_entry(struct site_owner *owner)
{
	uintptr_t function = owner->function, end = function + ENTRY_BYTES;
	struct extent extent;
	struct code code;
	struct site site;

	if (text_is_left(function, function + 1) || code_find(function, &code) < 0 ||
	    code_function(&code, function, &extent) < 0 || extent.low != function)
		return;
	for (uintptr_t at = function + 1; at <= end && at <= extent.high; at++) {
		if (site_before(&code, at, stub_targets.enter_hook, &site) < 0 ||
		    site.at < code.text.low + ALONE_BYTES ||
		    !alone_is_set(&site, function))
			continue;
		if (!known_has(at)) {
			known_add(at, owner->number);
			site.number = owner->number;
			is_changing = 1;
			add_site(owner, &site, 0);
			is_changing = 0;
		}
		return;
	}
}

static int is_entry(const struct code *code, uintptr_t return_address)
{
	struct site site;

	return known_number(return_address) ||
	       site_before(code, return_address, stub_targets.enter_hook, &site) == 0;
}

enum site_entry sites_entry_of(uint64_t function, uintptr_t return_address,
			       uint64_t *ret_low)
{
	struct extent extent;
	struct code code;
	uintptr_t end;

	if (text_is_left(return_address, return_address + 1) ||
	    code_find(return_address, &code) < 0 ||
	    code_function(&code, return_address, &extent) < 0 ||
	    !is_entry(&code, return_address))
		return SITE_ENTRY_UNKNOWN;
	*ret_low = extent.low;
	end = return_address - extent.low < FIRST_BYTES ? return_address
							: extent.low + FIRST_BYTES;
	for (uintptr_t at = extent.low + 1; at < end; at++) {
		if (is_entry(&code, at))
			return SITE_ENTRY_COPY;
	}
	return extent.low == function ? SITE_ENTRY_OWN : SITE_ENTRY_FIRST;
}

/* All jumps to the exit hook in a function are its own: exits of inlined copies come
 * before its own and are calls. */
void sites_note_jumps(struct site_owner *owner)
{
	uintptr_t function = owner->function, at = function;
	struct extent extent;
	struct code code;
	struct site site;

	owner->has_searched_jumps = 1;
	if (text_is_left(function, function + 1) || code_find(function, &code) < 0 ||
	    code_function(&code, function, &extent) < 0 || extent.low != function)
		return;
	is_changing = 1;
	while (site_jump(&code, &extent, stub_targets.exit_hook, &at, &site) == 0) {
		site.number = owner->number;
		add_site(owner, &site, 1);
	}
	is_changing = 0;
}

/* The program may have unmapped this code by a system call of its own, so check before
 * reading it. *page: the page checked last. */
static int can_be_read(const struct site *site, uintptr_t *page)
{
	uintptr_t own = site->at & ~(PAGE_BYTES - 1);

	if (own != *page && !readable_address(own))
		return 0;
	*page = own;
	return 1;
}

/* Exits first when the function becomes exact, entries first otherwise. */
void sites_write(struct site_owner *owner)
{
	int exits_first = owner->recording == SEGMENT_RECORDING_EXACT;
	uintptr_t page = 0;

	if (!owner->first || text_begin() < 0)
		return;
	is_changing = 1;
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = owner->first; i; i = site_at(i)->next) {
			struct site *site = site_at(i);

			if (site->is_exit == (pass == 0 ? exits_first : !exits_first) &&
			    can_be_read(site, &page))
				write_site(site, owner);
		}
	}
	is_changing = 0;
	text_end();
}

void sites_forget(uintptr_t low, uintptr_t high)
{
	known_forget(low, high);
	stubs_forget(low, high);
	scan_forget();
	for (uint32_t i = 1; i <= site_count; i++) {
		if (site_at(i)->at >= low && site_at(i)->at < high)
			site_at(i)->at = 0;
	}
}

void sites_drop_forgotten(struct site_owner *owner)
{
	uint32_t *link = &owner->first;

	while (*link) {
		struct site *site = site_at(*link);
		uint32_t index = *link;

		if (site->at) {
			link = &site->next;
			continue;
		}
		*link = site->next;
		site->next = free_site;
		free_site = index;
	}
}

/* page: as of can_be_read() */
static void take_back(struct site *site, uintptr_t *page)
{
	struct code code;

	is_changing = 1;
	if (site->is_led && can_be_read(site, page) && code_find(site->at, &code) == 0 &&
	    site_is_there(site, &code))
		site_restore(site, &code);
	site->form = SITE_EARLY;
	is_changing = 0;
}

void sites_leave(uintptr_t low, uintptr_t high)
{
	uintptr_t page = 0;

	for (uint32_t i = 1; i <= site_count; i++) {
		struct site *site = site_at(i);

		if (site->at >= low && site->at < high && site->form != SITE_EARLY)
			take_back(site, &page);
	}
	text_leave(low, high);
}

void sites_leave_stubs(uintptr_t low, uintptr_t high)
{
	uintptr_t page = 0;

	for (uint32_t i = 1; i <= site_count; i++) {
		struct site *site = site_at(i);

		if (site->at && site->form != SITE_EARLY &&
		    site_leads_into(site, low, high))
			take_back(site, &page);
	}
}

void sites_forbid(void)
{
	forbidden++;
}

/* A child that was forked in between has begun at 0. */
void sites_allow(void)
{
	if (forbidden)
		forbidden--;
}

int sites_are_forbidden(void)
{
	/* relaxed: asked again under the lock */
	return __atomic_load_n(&forbidden, __ATOMIC_RELAXED) != 0;
}

void sites_forked(void)
{
	struct code code;
	uintptr_t page = 0;

	text_forked();
	if (forbidden)
		forbidden = 0;
	if (!is_changing)
		return;
	is_changing = 0;
	for (uint32_t i = 1; i <= site_count; i++) {
		if (site_at(i)->at && can_be_read(site_at(i), &page) &&
		    code_find(site_at(i)->at, &code) == 0)
			site_look(site_at(i), &code);
	}
}
