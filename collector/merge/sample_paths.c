/* SPDX-License-Identifier: MIT */
/*
 * The times of programs without hooks on their call paths, by samples: what a function
 * took itself is known by all of its samples, and is divided among its callers as those
 * of them are that have stacks. Must not recurse, or let the sum over the paths of a
 * function differ from what its samples have.
 */
#include <stdlib.h>
#include <string.h>

#include "collector/merge/merge.h"
#include "collector/merge/results.h"
#include "collector/processes/cpu_book.h"
#include "common/base/xalloc.h"

/* Stacks of a function on one path. */
struct share {
	uint32_t function, path;
	uint64_t count;
};

/* Of a function, by all samples; and how many of its stacks have been dealt with. */
struct sum {
	uint64_t cpu_ns, count, stack_count;
	uint64_t used_stack_count, used_ns;
};

struct division {
	struct pool pool;
	struct merge *merge;
	struct module_list *modules;
	const struct cpu_book *book;
	uint32_t *paths; /* by frame of the book */
	uint32_t *calls; /* likewise: the place of the call in it, IDENTIFY_NONE: none */
	struct share *shares;
	size_t share_count;
	struct map share_map;
	struct sum *sums; /* by function */
	int64_t *own_ns;  /* by path */
};

/* Of the instruction, looked for as those of lanes are (add.c). */
uint64_t sampled_key(uint32_t module, uint64_t address)
{
	return ((address + 1) & SEGMENT_KEY_ADDRESS_MASK) |
	       (uint64_t)module << SEGMENT_KEY_MODULE_SHIFT | SEGMENT_KEY_RETURN_ADDRESS;
}

/* The recorder takes part in allocations, and in the calls that it looks at. */
bool sampled_is_recorder(const struct module_list *modules, uint32_t module)
{
	const char *path = modules->process->modules[module - 1].file->path;

	return strcmp(basename(path), "libprofshim.so") == 0;
}

/* Below the path. Returns the innermost. */
static uint32_t place(struct division *division, uint32_t path, uint64_t key,
		      uint32_t call, uint32_t *ret_first)
{
	uint32_t count;

	*ret_first = identify_places(&division->merge->identify, division->modules, key,
				     &count);
	merge_frames(division->merge, &path, *ret_first, count, call);
	return path;
}

/* Callers come before what they call. The recorder is nobody's caller. */
static void place_frames(struct division *division)
{
	const struct cpu_book *book = division->book;

	for (size_t i = 0; i < book->frame_count; i++) {
		const struct cpu_frame *frame = &book->frames[i];
		uint32_t above = frame->caller ? division->paths[frame->caller - 1] : 0;
		uint32_t call = frame->caller ? division->calls[frame->caller - 1]
					      : IDENTIFY_NONE;

		division->paths[i] = above;
		division->calls[i] = call;
		if (!sampled_is_recorder(division->modules, frame->module))
			division->paths[i] =
				place(division, above,
				      sampled_key(frame->module, frame->address - 1),
				      call, &division->calls[i]);
	}
}

static void add_stack(struct division *division, const struct cpu_stack *stack)
{
	uint32_t above = stack->caller ? division->paths[stack->caller - 1] : 0;
	uint32_t call =
		stack->caller ? division->calls[stack->caller - 1] : IDENTIFY_NONE;
	uint32_t first, path, function, index;
	bool is_new;

	if (!stack->module || sampled_is_recorder(division->modules, stack->module))
		return;
	path = place(division, above, sampled_key(stack->module, stack->address), call,
		     &first);
	function = division->merge->identify.places[first].function;
	index = map_number(&division->share_map, function, path, 0, &is_new);
	if (is_new)
		POOL_ADD(&division->pool, division->shares, division->share_count) =
			(struct share){.function = function, .path = path};
	division->shares[index].count += stack->count;
}

static void sum_rows(struct division *division, size_t first)
{
	const struct sampled *sampled = &division->merge->sampled;

	for (size_t i = first; i < sampled->row_count; i++) {
		const struct sampled_row *row = &sampled->rows[i];

		if (row->kind != SAMPLED_CODE)
			continue;
		count_add(&division->sums[row->function].cpu_ns, row->cpu_ns);
		count_add(&division->sums[row->function].count, row->count);
	}
	for (size_t i = 0; i < division->share_count; i++)
		division->sums[division->shares[i].function].stack_count +=
			division->shares[i].count;
}

/* part: of the function's time that is this path's. What chance makes of it are the
 * samples that it has, and where it is a part the stacks that tell which. */
static void add_time(struct division *division, uint32_t path, const struct sum *sum,
		     uint64_t ns, double part)
{
	struct merge_path *row = &division->merge->paths[path];
	double grain = sum->count ? (double)sum->cpu_ns / (double)sum->count : 0;
	double stack_grain =
		sum->stack_count ? (double)sum->cpu_ns / (double)sum->stack_count : 0;
	struct time_error error = {.grain = (float)grain};

	error.shared = (double)ns * (1 - part) * stack_grain;
	error.samples = (double)ns * grain + error.shared;
	time_error_add(&row->self_error, &error);
	quantity_add(&row->self_ns, quantity_of_count(ns));
	quantity_add(&row->raw_self_ns, quantity_of_count(ns));
	quantity_add(&row->self_cpu_ns, quantity_of_count(ns));
	quantity_add(&division->own_ns[path], quantity_of_count(ns));
	row->recording = MERGE_SAMPLED;
}

static void divide(struct division *division)
{
	for (size_t i = 0; i < division->share_count; i++) {
		const struct share *share = &division->shares[i];
		struct sum *sum = &division->sums[share->function];
		double part = (double)share->count / (double)sum->stack_count;
		uint64_t until_ns;

		sum->used_stack_count += share->count;
		until_ns = (uint64_t)((unsigned __int128)sum->cpu_ns *
				      sum->used_stack_count / sum->stack_count);
		add_time(division, share->path, sum, until_ns - sum->used_ns, part);
		sum->used_ns = until_ns;
	}
}

static uint64_t *stacks_below(const struct division *division)
{
	const struct merge *merge = division->merge;
	uint64_t *below = xcalloc(merge->path_count, sizeof(*below));

	for (size_t i = 0; i < division->share_count; i++)
		below[division->shares[i].path] += division->shares[i].count;
	for (size_t i = merge->path_count; i-- > 1;)
		below[merge->paths[i].parent] += below[i];
	return below;
}

/* The deepest path that all stacks have but for a hundredth, as of the main thread. */
static uint32_t find_common(const struct merge *merge, const uint64_t *below)
{
	uint64_t least = below[0] - below[0] / 100;
	uint32_t common = 0;

	for (uint32_t i = 1; i < merge->path_count; i++)
		if (below[i] >= least && merge->paths[i].parent == common)
			common = i;
	return common;
}

/* A function that no stack was in, but whose callees' stacks tell of it, is where these
 * are. */
static void place_callers(struct division *division, size_t function_count,
			  const uint64_t *below, size_t path_count)
{
	const struct merge *merge = division->merge;
	auto_free uint64_t *seen = xcalloc(function_count, sizeof(*seen));

	for (uint32_t i = 1; i < path_count; i++) {
		uint32_t function = merge->paths[i].function;

		if (!below[i] || function >= function_count ||
		    !division->sums[function].cpu_ns ||
		    division->sums[function].stack_count)
			continue;
		POOL_ADD(&division->pool, division->shares, division->share_count) =
			(struct share){function, i, below[i]};
		seen[function] += below[i];
	}
	for (size_t i = 0; i < function_count; i++)
		division->sums[i].stack_count += seen[i];
}

/* Of the others nobody knows the callers: they are called by a place of that name, below
 * what has called all that are known. */
static void place_others(struct division *division, size_t function_count)
{
	struct merge *merge = division->merge;
	uint64_t *below = stacks_below(division);
	uint32_t unknown = identify_unseen(&merge->identify);
	uint32_t common = find_common(merge, below);

	place_callers(division, function_count, below, merge->path_count);
	free(below);
	if (!merge_has_room(merge, common, unknown, MERGE_FRAME))
		return;
	common = merge_child_path(merge, common, unknown, MERGE_FRAME);
	for (uint32_t i = 0; i < function_count; i++) {
		struct sum *sum = &division->sums[i];

		if (!sum->cpu_ns || sum->stack_count ||
		    !merge_has_room(merge, common, i, MERGE_FRAME))
			continue;
		POOL_ADD(&division->pool, division->shares, division->share_count) =
			(struct share){i, merge_child_path(merge, common, i, MERGE_FRAME),
				       1};
		sum->stack_count = 1;
	}
}

/* Paths come before those that they call. */
static void add_up(struct division *division)
{
	struct merge *merge = division->merge;

	for (size_t i = merge->path_count; i-- > 1;) {
		struct merge_path *row = &merge->paths[i];
		int64_t ns = division->own_ns[i];

		if (!ns)
			continue;
		quantity_add(&row->total_ns, ns);
		quantity_add(&row->raw_total_ns, ns);
		quantity_add(&row->cpu_ns, ns);
		row->recording = MERGE_SAMPLED;
		quantity_add(&division->own_ns[row->parent], ns);
	}
}

void sampled_place(struct merge *merge, struct module_list *modules,
		   const struct cpu_book *book, size_t first)
{
	struct division division = {.merge = merge, .modules = modules, .book = book};
	size_t function_count;

	if (merge->call_count || !book->stack_count)
		return;
	division.paths =
		pool_array(&division.pool, book->frame_count, sizeof(*division.paths));
	division.calls =
		pool_array(&division.pool, book->frame_count, sizeof(*division.calls));
	place_frames(&division);
	for (size_t i = 0; i < book->stack_count; i++)
		add_stack(&division, &book->stacks[i]);
	function_count = merge->identify.function_count;
	division.sums =
		pool_array(&division.pool, function_count, sizeof(*division.sums));
	sum_rows(&division, first);
	place_others(&division, function_count);
	division.own_ns =
		pool_array(&division.pool, merge->path_count, sizeof(*division.own_ns));
	divide(&division);
	add_up(&division);
	map_done(&division.share_map);
	pool_done(&division.pool);
}
