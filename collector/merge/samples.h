/* SPDX-License-Identifier: MIT */
/*
 * Samples of a run, each with the path that was innermost with a frame, and the function
 * that its address is in. Must not read the spool.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "collector/merge/modules.h"
#include "common/base/map.h"

struct cpu_book;
struct identify;
struct merge;

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
	uint32_t place;	 /* of both and what is between, in identify.places */
	uint32_t caller; /* in sampled.callers; SAMPLED_FRAME: the path's own function;
			    0: not known */
	/* whose call had the time: account/sampled/credit.h */
	uint32_t credited_function;
	uint32_t leaf_function; /* IDENTIFY_NONE, or without hooks, below that */
	uint32_t line;		/* of the address, 0: not known */
	const char *file;	/* borrowed from identify */
	uint64_t count, cpu_ns;
};

#define SAMPLED_FRAME UINT32_MAX

/* Who called code that a sample was in, when that is not the path's own. */
struct sampled_caller {
	uint32_t place; /* in identify.places: of the innermost copy at that call */
	uint32_t caller;
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
	struct sampled_caller *callers; /* [0] is nobody */
	size_t caller_count;
	struct map caller_map;
	/* of the run */
	uint64_t count, cpu_ns, kernel_ns, lost_ns;
	uint64_t hook_ns;	/* of HOOKS and STUBS */
	uint64_t outside_count; /* of programs without hooks */
	uint64_t stack_count, cut_stack_count, lost_stack_count, refused_stack_count;
	uint64_t timer_count; /* by timers */
	uint64_t ring_count, refused_count, declined_count;
	int32_t ring_error; /* the last one */
	uint32_t longest_period_us, shortest_period_us;
};

/* The rows of a lane, borrowed. */
const struct sampled_row *sampled_of_lane(const struct sampled *sampled, uint32_t lane,
					  size_t *ret_count);
/* The lane has samples. */
const struct sampled_lane *sampled_header(const struct sampled *sampled, uint32_t lane);

/* The index in callers. */
uint32_t sampled_caller(struct sampled *sampled, uint32_t place, uint32_t caller);
void sampled_done(struct sampled *sampled);

/* Fills in the functions, the line and the file of the key's address. */
void sampled_name_row(struct sampled_row *row, struct identify *identify,
		      struct module_list *modules, uint64_t key);

/* When nobody asks for callers any more: rows that differ in them become one. */
void sampled_forget_callers(struct sampled *sampled);

/* Of the rows from `first` on those of one place become one. */
void sampled_join(struct sampled *sampled, size_t first);

/* Of an address in a file of the samples from outside; a return address less 1. */
uint64_t sampled_key(uint32_t module, uint64_t address);
bool sampled_is_recorder(const struct module_list *modules, uint32_t module);

/* Adds the times of rows from `first` on, which are those of the book, to call paths, in
 * a run in which nothing has hooks. */
void sampled_place(struct merge *merge, struct module_list *modules,
		   const struct cpu_book *book, size_t first);

/* Adds samples of programs without hooks: when all lanes are merged, and before functions
 * are summed up. */
void sampled_add_outside(struct merge *merge, const struct cpu_book *book);
