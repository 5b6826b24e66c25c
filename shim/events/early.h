/* SPDX-License-Identifier: MIT */
/*
 * Calls of counted functions that still reach the hook itself, because their site cannot
 * be written: the code is protected, or the displacement lies in two parts and there is
 * no room in an arena or no barrier (patch/stubs.h, text_sync()). Finding a call's number
 * takes some 60 ns, so each lane remembers it by (function, site of the hook, call site).
 * Runs on: the lane's thread, any context.
 */
#pragma once

#include "shim/core/process.h"
#include "shim/events/frame_hooks.h"
#include "shim/patch/modes.h"

static inline struct lane_early *early_at(struct lane_context *context,
					  uintptr_t return_address, uint64_t call_site)
{
	uint32_t hash =
		((uint32_t)return_address + ((uint32_t)call_site << 5)) * 0x9e3779b1u;

	return &context->early[hash >> 24];
}

_Static_assert(LANE_EARLY == 1u << 8, "early_at() shifts by 24");

/* The number that such a call was counted under before; 0: not known. The number is read
 * first: a handler may put another call in its place. */
static inline uint32_t early_number(struct lane_context *context, uint64_t function,
				    uint64_t call_site, uintptr_t return_address)
{
	const struct lane_early *early = early_at(context, return_address, call_site);
	uint32_t version = __atomic_load_n(&modes_early_version, __ATOMIC_RELAXED);
	uint32_t number;

	if (!version) /* do not touch the table: a forked child would get its own copy of
			 the pages */
		return 0;
	number = early->number;
	compiler_barrier();
	if (early->function != function || early->call_site != call_site ||
	    early->return_address != return_address || early->version != version)
		return 0;
	return number;
}

/* Counts such a call and remembers its number. 0: it is not such a call. */
int early_count(struct lane_context *context, uint64_t function, uint64_t call_site,
		uintptr_t return_address);
