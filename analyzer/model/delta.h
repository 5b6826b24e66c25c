/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic between two moments of a process: what an allocation site, or several
 * together, had at A and at B and what became of it. Must not know SQL; overflow (sums
 * wrap: a damaged file may hold any number).
 */
#pragma once

#include "common/quantities.h"

#include <stddef.h>
#include <stdint.h>

/* Counted from the start of the process, live: at the moment. */
struct delta_state {
	QUANTITY_FIELDS(HELD);
};

struct delta_entry {
	struct delta_state a, b;
	/* Born before A, freed between A and B. */
	int64_t old_freed_count, old_freed_bytes;
	/* Born between A and B, freed between B and C. */
	int64_t young_freed_count, young_freed_bytes;
};

struct delta_result {
	int64_t live_delta_count, live_delta_bytes;
	int64_t alloc_count, alloc_bytes; /* between A and B */
	int64_t free_count, free_bytes;
	int64_t survived_count, survived_bytes; /* born between A and B, live at C */
};

int64_t delta_plus(int64_t a, int64_t b);
int64_t delta_minus(int64_t a, int64_t b);

void delta_add(struct delta_entry *sum, const struct delta_entry *part);
struct delta_result delta_of(const struct delta_entry *entry);
/* Numbers that no program can have: the recording lost something. */
int delta_is_odd(const struct delta_result *result);

/* <0: a stands before b: largest change of live bytes, either way, first; then of live
 * blocks, then most bytes allocated in between. */
int delta_compare(const struct delta_result *a, const struct delta_result *b);
