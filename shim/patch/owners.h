/* SPDX-License-Identifier: MIT */
/*
 * The functions that have sites, by number and by address: private tables, which a forked
 * child goes on with. Runs on: owners_add(): under the process lock; the rest: traced
 * threads, any context, no lock.
 */
#pragma once

#include <stdint.h>

#include "common/segment.h"
#include "common/segment_recording.h"
#include "shim/patch/stubs.h"

/* A function that has sites. */
struct site_owner {
	uint64_t function;   /* 0: its object is not mapped */
	uint64_t address;    /* of the function, where it was last */
	uint64_t host, site; /* which of its calls: see common/segment_recording.h */
	uint32_t number;
	uint32_t place;	    /* of its stubs; 0: it has none yet */
	uint32_t own;	    /* the number of the function's own entry */
	uint32_t next_part; /* another one of some of its calls, 0: none */
	uint32_t first;	    /* of its sites, 0: none */
	uint8_t recording;  /* enum segment_recording */
	uint8_t has_early;  /* entries that come to the hook itself now and then */
	uint8_t has_searched_jumps;
	uint8_t keeps_exits;		 /* enum exits */
	uint32_t led_count, early_count; /* since the last time they were asked for */
};

/* Those with the numbers from 1 on. */
struct site_owner *owners_at(uint32_t number);

/* The number of these calls of the function, with 0 and 0 of its own entry; 0: it has
 * none. */
uint32_t owners_find(uint64_t function, uint64_t host, uint64_t site);

/* Are its calls told apart by where they come from? Each such has another owner. */
static inline int owners_have_edges(const struct site_owner *owner)
{
	return owner->host ? owner->site == SEGMENT_SITE_ANY : !owner->site;
}

/* What its stubs are; a place is taken for them. And who has a place; 0: nobody. */
struct stub_entry owners_stub(uint32_t number);
uint32_t owners_at_place(uint32_t place);

/* Is there one in this host? */
int owners_have_host(uint64_t host);

/* Is there perhaps one of a function in [low, high), mapped or not? */
int owners_may_be_in(uint64_t low, uint64_t high);

/* The next number is its own; its address is that of the function, whether it is mapped
 * or not. 0: there is no room. */
int owners_add(const struct site_owner *owner);
