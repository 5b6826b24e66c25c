/* SPDX-License-Identifier: MIT */
/* What rates are made of; how a path's are read and changed, for rates.c and
 * rates_counted.c. Must not need either. */
#pragma once

#include <stdbool.h>

#include "collector/follow/state.h"

struct rate {
	double calls, allocs, alloc_bytes; /* in the span */
	double self_ns, total_ns;	   /* total: with what is below; of functions the
					      outermost activations */
	double ready_ns, blocked_ns;	   /* of the self time */
	struct time_error error;	   /* of self_ns */
	double most_ns;			   /* self_ns is no more */
	double longest_ns; /* call with a frame that has ended, whenever; 0: none has */
	bool is_used;	   /* something happened at or below */
	bool is_estimate;  /* some calls were only counted */
};

/* What all paths need, close together: there may be 100,000 of them in each look. The
 * rest of a path is made when it is asked for. */
struct path_time {
	double cpu_ns, total_ns; /* cpu_ns: what it computed itself */
};

/* All zero is empty. */
struct rates {
	double span_s;
	enum ledger_since since;
	struct path_time *times;  /* of paths, by number */
	struct rate *functions;	  /* by number */
	struct rate_sum *sums;	  /* likewise */
	struct rate_moved *moved; /* of paths that counted calls changed */
	uint32_t *moved_of;	  /* of a path: 1 + its index there, 0: none */
	size_t path_count, function_count, moved_count;
	/* of a path: the next one of its function; is there none of that function above;
	 * is it at or below the one that is zoomed into */
	uint32_t *next_same;
	uint8_t *is_outermost, *is_below;
	uint8_t *is_used;   /* of paths: something happened at or below */
	uint32_t *first_of; /* of a function: one of its paths */
	size_t known_paths;
	uint32_t times_room, function_room, sum_room, moved_room, moved_of_room;
	uint32_t same_room, outermost_room, below_room, used_room, first_room;
};

/* The ledger's columns: what was never gained costs nothing to read. */
struct path_columns {
	struct ledger_column of[FOLLOW_PATH_NUMBERS];
	bool has_nested, has_allocs, has_waits;
	bool is_look; /* they are of a look: the gains alone */
};

static inline void path_columns_find(struct path_columns *ret,
				     const struct follow *follow, enum ledger_since since)
{
	for (size_t i = 0; i < FOLLOW_PATH_NUMBERS; i++)
		ret->of[i] = ledger_column(&follow->paths, i, since);
	ret->is_look = since == LEDGER_LOOK;
	ret->has_nested = ledger_column_is_used(&ret->of[FOLLOW_NESTED_CALLS]);
	ret->has_allocs = ledger_column_is_used(&ret->of[FOLLOW_ALLOCS]);
	ret->has_waits = ledger_column_is_used(&ret->of[FOLLOW_READY_NS]) ||
			 ledger_column_is_used(&ret->of[FOLLOW_BLOCKED_NS]);
}

static inline double path_column(const struct path_columns *columns,
				 enum follow_path_number number, uint32_t path)
{
	return (double)(columns->is_look
				? ledger_column_gained(&columns->of[number], path)
				: ledger_column_get(&columns->of[number], path));
}

struct path_gain {
	double calls, allocs, alloc_bytes;
	double own, others; /* frames of its own and of its children */
	double raw_ns;	    /* itself, as the clock said: self_ns is no more */
	double self_ns, ready_ns, blocked_ns;
	double estimate_ns; /* the error of what counted calls gave and took */
	bool is_estimate;
};

/* In two loops over all paths: a call each made them a fifth longer. */
static inline __attribute__((always_inline)) struct path_gain
path_gain_read(const struct follow *follow, const struct path_columns *columns,
	       uint32_t path)
{
	const struct hook_cost *cost = &follow->cost;
	double off_ns = 0;
	struct path_gain ret = {.calls = path_column(columns, FOLLOW_CALLS, path),
				.others = path_column(columns, FOLLOW_CHILD_CALLS, path),
				.raw_ns = path_column(columns, FOLLOW_SELF_TICKS, path) *
					  follow->ticks.ns_per_tick};

	ret.own = ret.calls;
	if (columns->has_nested) {
		double nested = path_column(columns, FOLLOW_NESTED_CALLS, path);

		ret.own += nested;
		ret.others += nested;
	}
	ret.raw_ns = ret.raw_ns > 0 ? ret.raw_ns : 0;
	if (columns->has_waits) {
		ret.blocked_ns = path_column(columns, FOLLOW_BLOCKED_NS, path);
		ret.ready_ns = path_column(columns, FOLLOW_READY_NS, path);
		if (ret.blocked_ns > ret.raw_ns)
			ret.blocked_ns = ret.raw_ns;
		if (ret.ready_ns > ret.raw_ns - ret.blocked_ns)
			ret.ready_ns = ret.raw_ns - ret.blocked_ns;
		off_ns = ret.ready_ns + ret.blocked_ns;
	}
	ret.self_ns = ret.raw_ns - ret.own * cost->inner_ns - ret.others * cost->outer_ns;
	if (columns->has_allocs) {
		ret.allocs = path_column(columns, FOLLOW_ALLOCS, path);
		ret.alloc_bytes = path_column(columns, FOLLOW_ALLOC_BYTES, path);
		ret.self_ns -= ret.allocs * cost->alloc_ns;
	}
	ret.self_ns = ret.self_ns > off_ns ? ret.self_ns : off_ns;
	return ret;
}

/* Of a path: what counted calls gave it, and took from its frame. */
struct rate_moved {
	uint32_t path, from; /* from: index in `moved`, of the frame they were in */
	double calls, ns, error_ns, most_ns;
	double wanted_ns, there_ns; /* from its own frame; what there was to take */
	double taken_ns, taken_error_ns;
};

static inline double path_gain_cpu_ns(const struct path_gain *gain)
{
	return gain->self_ns - gain->ready_ns - gain->blocked_ns;
}

/* With counted calls, too. */
static inline void path_gain_move(struct path_gain *gain, const struct rate_moved *moved)
{
	double off_ns = gain->ready_ns + gain->blocked_ns;

	gain->calls += moved->calls;
	gain->raw_ns += moved->most_ns;
	gain->self_ns += moved->ns - moved->taken_ns;
	gain->self_ns = gain->self_ns > off_ns ? gain->self_ns : off_ns;
	gain->estimate_ns = moved->error_ns - moved->taken_error_ns;
	gain->is_estimate = true;
}

/* How many pairs of hooks lie in its time. */
static inline double path_gain_pairs(const struct path_gain *gain,
				     const struct hook_cost *cost)
{
	return gain->own * cost->split + gain->others * (1 - cost->split);
}

/* What is summed up of a function. */
struct rate_sum {
	size_t path_count;
	double calls, allocs, alloc_bytes, self_ns, raw_ns, ready_ns, blocked_ns;
	double pairs, squared_pairs, squared_allocs, own_less_others;
	double total_ns; /* of the outermost paths */
	double estimate_ns;
	bool is_estimate;
};

/* rates_counted.c: changes what the paths of counted calls gained; into `moved`. */
void rates_add_counted(struct rates *rates, const struct follow *follow,
		       const struct path_columns *columns);
