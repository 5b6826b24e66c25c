/* SPDX-License-Identifier: MIT */
/*
 * Samples of a run, each with the path that was innermost with a frame, and the function
 * that its address is in. Must not read the spool.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct identify;

enum sampled_kind {
	SAMPLED_CODE,	/* in a function */
	SAMPLED_HOOKS,	/* in the recorder */
	SAMPLED_STUBS,	/* in code of its own that only counts */
	SAMPLED_FOLDED, /* the address is not known */
};

#define SAMPLED_NO_LANE                                                                  \
	UINT32_MAX /* of a program without hooks: it has no path either                  \
		    */

/* Rows of a lane follow each other, and are sorted by path. */
struct sampled_row {
	uint32_t lane, path;
	enum sampled_kind kind;
	/* of CODE, in identify.functions: the innermost inlined copy, and the function
	 * whose symbol has the address */
	uint32_t function, outer_function;
	uint32_t place; /* of both and what is between, in identify.places */
	/* whose call had the time: sampled_credit() */
	uint32_t credited_function;
	uint32_t line;	  /* of the address, 0: not known */
	const char *file; /* borrowed from identify */
	uint64_t count, cpu_ns;
};

/* What a lane's header says of all of its samples. */
struct sampled_lane {
	uint32_t lane;
	uint64_t cpu_ns, kernel_ns;
};

/* All zero is empty. */
struct sampled {
	struct sampled_row *rows;
	size_t row_count;
	struct sampled_lane *lanes; /* that have samples, in order */
	size_t lane_count;
	/* of the run */
	uint64_t count, cpu_ns, kernel_ns, lost_ns;
	uint64_t hook_ns;	/* of HOOKS and STUBS */
	uint64_t outside_count; /* of programs without hooks */
	uint64_t timer_count;	/* by timers */
	uint64_t ring_count, refused_count, declined_count;
	int32_t ring_error; /* the last one */
	uint32_t longest_period_us, shortest_period_us;
};

/* The rows of a lane, borrowed. */
const struct sampled_row *sampled_of_lane(const struct sampled *sampled, uint32_t lane,
					  size_t *ret_count);
/* The lane has samples. */
const struct sampled_lane *sampled_header(const struct sampled *sampled, uint32_t lane);

/*
 * Finds whose calls had the time of the lane's samples of CODE: the innermost copy of a
 * function that is counted there, for code without hooks is part of who calls it; the
 * function whose symbol has the address when none of them is. is_counted: by function,
 * not 0. The lane's rows are sorted by path, kind and that function then.
 */
void sampled_credit(struct sampled *sampled, uint32_t lane,
		    const struct identify *identify, const uint32_t *is_counted);
void sampled_done(struct sampled *sampled);
