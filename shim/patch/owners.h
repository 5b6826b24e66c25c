/* SPDX-License-Identifier: MIT */
/*
 * The functions that have sites, by number and by address: private tables, which a forked
 * child inherits. Runs on: owners_add(): under the process lock; the rest: traced
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
	uint64_t address;    /* the function's latest address */
	uint64_t host, site; /* which of its calls: see common/segment_recording.h */
	uint32_t number;
	uint32_t place;	    /* of its stubs; 0: none yet */
	uint32_t own;	    /* the number of the function's own entry */
	uint32_t next_part; /* the next owner of part of its calls; 0: none */
	uint32_t first;	    /* of its sites, 0: none */
	uint8_t recording;  /* enum segment_recording */
	uint8_t has_early;  /* some calls reach the hook itself */
	uint8_t has_searched_jumps;
	uint8_t keeps_exits;		 /* enum exits */
	uint32_t led_count, early_count; /* since they were last recorded */
};

/* The owner with this number, from 1 on. */
struct site_owner *owners_at(uint32_t number);

/* The number of these calls of the function; host 0 and site 0: of its own entry. 0:
 * there is none. */
uint32_t owners_find(uint64_t function, uint64_t host, uint64_t site);

/* Are its calls told apart by call site? Each site then has an owner of its own. */
static inline int owners_have_edges(const struct site_owner *owner)
{
	return owner->host ? owner->site == SEGMENT_SITE_ANY : !owner->site;
}

/* How its calls are counted; takes a place for its stubs. And the number that has a
 * place; 0: none. */
struct stub_entry owners_stub(uint32_t number);
uint32_t owners_at_place(uint32_t place);

/* Is there an owner with this host? */
int owners_have_host(uint64_t host);

/* May there be an owner of a function in [low, high), mapped or not? */
int owners_may_be_in(uint64_t low, uint64_t high);

/* Its function, host or site is mapped again, and found by that. 0: there is no room. */
int owners_list(uint32_t number);

/* Adds an owner, which must have the next number and the function's address, mapped or
 * not. 0: there is no room. */
int owners_add(const struct site_owner *owner);
