/* SPDX-License-Identifier: MIT */
/*
 * What the paths and functions of a program did in a span, made of what its ledgers
 * gained: corrected for the hooks, calls that were only counted among them, with errors.
 * Must not read anything.
 *
 * COUNTED CALLS have no path and no time of their own: how often a function was called is
 * exact; where, and how long, is estimated from all its calls that were timed so far. The
 * time is taken from the callers that had a frame, in which it was spent.
 */
#pragma once

#include <stdbool.h>

#include "collector/follow/follow.h"

struct rate {
	double calls, allocs, alloc_bytes; /* in the span */
	double self_ns, total_ns;	   /* total: with what is below; of functions the
					      outermost activations */
	double ready_ns, blocked_ns;	   /* of the self time */
	struct time_error error;	   /* of self_ns */
	double most_ns;			   /* self_ns is no more */
	bool is_used;			   /* something happened at or below */
	bool is_estimate;		   /* some calls were only counted */
};

/* What all paths need, close together: there may be 100,000 of them in each look. The
 * rest of a path is made when it is asked for. */
struct path_time {
	double self_ns, total_ns;
};

/* All zero is empty. */
struct rates {
	double span_s;
	enum ledger_since since;
	struct path_time *times; /* of paths, by number */
	struct rate *functions;	 /* by number */
	struct rate *moved;	 /* of paths that counted calls changed */
	uint32_t *moved_of;	 /* of a path: 1 + its index there, 0: none */
	size_t path_count, function_count, moved_count;
	/* of a path: the next one of its function; is there none of that function above;
	 * is it at or below the one that is zoomed into */
	uint32_t *next_same;
	uint8_t *is_outermost, *is_below;
	uint8_t *is_used;   /* of paths: something happened at or below */
	uint32_t *first_of; /* of a function: one of its paths */
	size_t known_paths;
	uint32_t times_room, function_room, moved_room, moved_of_room;
	uint32_t same_room, outermost_room, below_room, used_room, first_room;
};

/* below: only at and below this path; 0: all. */
void rates_find(struct rates *rates, const struct follow *follow, enum ledger_since since,
		uint32_t below);
void rates_done(struct rates *rates);

/* What was found of a path; of the same follow, before its next look. */
struct rate rates_of_path(const struct rates *rates, const struct follow *follow,
			  uint32_t path);

/* How far off the self time may be, ns (95 %). */
double rate_error_ns(const struct rate *rate);
/* What of it was computed. */
double rate_cpu_ns(const struct rate *rate);
