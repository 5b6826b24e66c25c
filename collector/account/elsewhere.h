/* SPDX-License-Identifier: MIT */
/*
 * Calls without a frame whose time nobody on their paths has. A function may be counted
 * before the program comes to where it is called most: its calls are then thought to be
 * on the few paths that were seen until then. Their time is known to be with those who
 * have more than their own, so they are put below these, as far as their code can have
 * made the calls (reach.h). Must not be asked but while the lane is in the cells, with
 * its self times.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/account/rate.h"
#include "collector/account/callers/reach.h"
#include "collector/merge/merge.h"

struct elsewhere_calls {
	uint32_t path, mode; /* where they are thought to be; index in merge->modes */
	double calls;	     /* whose time nobody has */
	double counting;     /* whose counting is yet to be taken off */
};

/* All zero is empty. */
struct elsewhere {
	struct elsewhere_calls *all;
	size_t count;
	uint32_t *holders; /* the paths that have time of calls without frames */
	size_t holder_count;
};

void elsewhere_add(struct elsewhere *elsewhere, const struct elsewhere_calls *calls);
/* Paths may be new, which the lane touches. What finds no place stays in the list. */
void elsewhere_place(struct elsewhere *elsewhere, struct merge *merge,
		     const struct rate *rates, const struct hook_cost *cost,
		     struct reach *reach);
void elsewhere_done(struct elsewhere *elsewhere);
