/* SPDX-License-Identifier: MIT */
/*
 * Calls that come to the hook itself, of functions that are only counted: their sites
 * cannot be written: the code is protected, or the displacement lies in two parts, for
 * which there is no room in an arena or no barrier (patch/stubs.h, text_sync()). To find
 * a call's number takes some 60 ns, so each lane remembers what it was for (function,
 * site of the hook, call site). Runs on: the lane's thread, any context.
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

/* Under which number such a call is counted, as it was before; 0: it is not known. The
 * number is read first: a handler may put another call in the place. */
static inline uint32_t early_number(struct lane_context *context, uint64_t function,
				    uint64_t call_site, uintptr_t return_address)
{
	const struct lane_early *early = early_at(context, return_address, call_site);
	uint32_t version = __atomic_load_n(&modes_early_version, __ATOMIC_RELAXED);
	uint32_t number;

	if (!version) /* a forked child would get pages of its own */
		return 0;
	number = early->number;
	compiler_barrier();
	if (early->function != function || early->call_site != call_site ||
	    early->return_address != return_address || early->version != version)
		return 0;
	return number;
}

/* Counts such a call, and remembers it. 0: it is none. */
int early_count(struct lane_context *context, uint64_t function, uint64_t call_site,
		uintptr_t return_address);
