/* SPDX-License-Identifier: MIT */
/*
 * Self and total times, all in whole ns so that sums agree exactly. Must not recurse:
 * paths may be a million deep.
 */
#include "collector/account/account.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/xalloc.h"

static int by_number(const void *a, const void *b)
{
	return ORDER(*(const uint32_t *)a, *(const uint32_t *)b);
}

static struct merge_share *new_share(struct merge *merge, uint32_t path, uint32_t lane)
{
	struct merge_share *share;

	share = &POOL_ADD(&merge->pool, merge->shares, merge->share_count);
	*share = (struct merge_share){.path = path, .lane = lane};
	quantities_clear(QUANTITY_OF_LANE, share->quantities);
	return share;
}

/* A lane that is shared may have something in the path already. */
static struct merge_share *share_of(struct merge *merge, uint32_t path, uint32_t lane)
{
	uint64_t key = (uint64_t)path << 32 | lane;
	uint32_t at;

	if (!merge->is_shared_lane[lane])
		return new_share(merge, path, lane);
	at = map_get(&merge->share_map, key, 0, 0);
	if (at != MAP_NONE)
		return &merge->shares[at];
	map_put(&merge->share_map, key, 0, 0, (uint32_t)merge->share_count);
	return new_share(merge, path, lane);
}

/* 30 years; only damaged numbers are larger. */
#define MOST_NS 1e18

static int64_t whole_ns(double ns)
{
	return ns < MOST_NS ? (int64_t)ns : (int64_t)MOST_NS;
}

static int64_t framed_calls(const struct merge_cell *cell)
{
	return cell->calls - cell->counted_calls;
}

/* Calls that a caller without a frame made are in the time of the function around it. */
static double recorded_ticks(const struct merge_cell *cell)
{
	return (double)cell->total_ticks + (double)cell->passed_ticks;
}

/* How often hooks ran in and around what is the cell's own: for its calls and those that
 * it makes, and where a call was two entries, for both sides of the second. */
static double inner_pairs(const struct merge_cell *cell)
{
	return (double)framed_calls(cell) + (double)cell->nested_calls;
}

static double outer_pairs(const struct merge_cell *cell)
{
	return (double)(cell->child_calls - cell->passed_calls) +
	       (double)cell->nested_calls;
}

/* No call takes nothing: so much of the time at most is that of counting calls. */
#define COUNTED_PART 0.8

static double counting_ns(const struct hook_cost *cost, const struct merge_cell *cell,
			  int64_t cpu_ns)
{
	double ns = cost->counted_ns * cell->counting,
	       most = COUNTED_PART * (double)cpu_ns;

	return ns < most ? ns : (most > 0 ? most : 0);
}

static int64_t cost_ns(const struct hook_cost *cost, const struct merge_cell *cell)
{
	return whole_ns(cost->inner_ns * inner_pairs(cell) +
			cost->outer_ns * outer_pairs(cell) +
			cost->alloc_ns * (double)cell->allocs);
}

void account_begin(struct merge *merge)
{
	if (merge->touched_count)
		qsort(merge->touched, merge->touched_count, sizeof(*merge->touched),
		      by_number);
}

static double square(double value)
{
	return value * value;
}

/* missing_ns: what the hooks seem to have cost more than was recorded. counting_ns: what
 * counting calls without frames did. */
static void find_error(const struct hook_cost *cost, struct merge_cell *cell,
		       int64_t missing_ns, double counting_ns)
{
	double counting_error =
		counting_ns > 0 ? counting_ns / cost->counted_ns * cost->counted_error_ns
				: 0;
	double own = inner_pairs(cell), others = outer_pairs(cell);
	double sum = cost->inner_ns + cost->outer_ns;
	double pairs = own * cost->split + others * (1 - cost->split);
	double allocs = (double)cell->allocs;

	cell->self_error = (struct time_error){
		.hooks = (float)(pairs * cost->hook_error_ns),
		.split = (float)((own - others) * sum * cost->split_error),
		.allocs = (float)(allocs * cost->alloc_error_ns),
		.counted = (float)counting_error,
		.variance = (float)(square(pairs * sum * cost->path_error) +
				    square(allocs * cost->alloc_ns * cost->path_error) +
				    square((double)missing_ns))};
}

static int64_t off_cpu_ns(const struct merge_cell *cell)
{
	return cell->self_ready_ns + cell->self_blocked_ns;
}

/* A path was not longer without a CPU than it was there: a switch between the hook that
 * asked for switches and its clock was in the path above. Nothing sleeps there, so that
 * was ready. */
static void limit_off_cpu(struct merge *merge, uint32_t path, int64_t most_ns)
{
	struct merge_cell *cell = &merge->cells[path];
	struct merge_cell *parent = &merge->cells[merge->paths[path].parent];
	int64_t over_ns = off_cpu_ns(cell) - most_ns, ready_ns;

	if (over_ns <= 0)
		return;
	ready_ns = over_ns < cell->self_ready_ns ? over_ns : cell->self_ready_ns;
	cell->self_ready_ns -= ready_ns;
	cell->self_blocked_ns -= over_ns - ready_ns;
	if (!merge->paths[path].parent)
		return;
	quantity_add(&parent->self_ready_ns, ready_ns);
	quantity_add(&parent->self_blocked_ns, over_ns - ready_ns);
}

/* cpu_ns: what is left of the computed time without the hooks' cost and what is owed. */
static void settle(struct merge_cell *cell, int64_t cpu_ns, int64_t *ret_owed_ns)
{
	*ret_owed_ns = cpu_ns < 0 ? -cpu_ns : 0;
	if (*ret_owed_ns > (int64_t)MOST_NS)
		*ret_owed_ns = (int64_t)MOST_NS;
	cell->self_ns = off_cpu_ns(cell) + (cpu_ns > 0 ? cpu_ns : 0);
}

/* A total that is less than the children's together (a signal handler in between, a
 * process that is still alive) is raised to it: no self time is negative, and the sums
 * stay exact. Hooks cost CPU time: of the rest nothing is subtracted. */
static void find_self(struct merge *merge, const struct hook_cost *cost, uint32_t path)
{
	struct merge_cell *cell = &merge->cells[path];
	double counting;
	int64_t cpu_ns;

	cell->raw_total_ns = ticks_duration_ns(merge->ticks, recorded_ticks(cell));
	if (cell->raw_total_ns < cell->child_raw_ns)
		cell->raw_total_ns = cell->child_raw_ns;
	cell->raw_self_ns = cell->raw_total_ns - cell->child_raw_ns;
	limit_off_cpu(merge, path, cell->raw_self_ns);
	cell->hook_ns = cost_ns(cost, cell);
	cpu_ns = cell->raw_self_ns - off_cpu_ns(cell) - cell->hook_ns - cell->owed_ns;
	counting = counting_ns(cost, cell, cpu_ns);
	cell->hook_ns += (int64_t)counting;
	cpu_ns -= (int64_t)counting;
	settle(cell, cpu_ns, &cell->owed_ns);
	find_error(cost, cell, cell->owed_ns, counting);
}

static void charge_self(struct merge *merge, uint32_t path)
{
	const struct merge_cell *cell = &merge->cells[path];
	struct merge_cell *parent = &merge->cells[merge->paths[path].parent];

	if (!merge->paths[path].parent)
		return;
	quantity_add(&parent->child_calls, framed_calls(cell));
	quantity_add(&parent->child_calls, cell->passed_calls);
	quantity_add(&parent->child_raw_ns, cell->raw_total_ns);
	quantity_add(&parent->owed_ns, cell->owed_ns);
	if (parent->owed_ns > (int64_t)MOST_NS)
		parent->owed_ns = (int64_t)MOST_NS;
}

/* Some allocations' stacks are deeper than others'. */
#define STACK_ERROR 0.3

static struct hook_cost cost_of_lane(const struct merge *merge,
				     const struct account_cost *cost)
{
	struct hook_cost own = *cost->hooks;

	hook_cost_of_paths(&own, merge->touched_count);
	own.alloc_ns += cost->stack_ns;
	own.alloc_error_ns = hypot(own.alloc_error_ns, STACK_ERROR * cost->stack_ns);
	return own;
}

void account_selves(struct merge *merge, const struct account_cost *cost)
{
	struct hook_cost hooks = cost_of_lane(merge, cost);

	account_begin(merge);
	for (size_t i = merge->touched_count; i-- > 0;) {
		struct merge_cell *cell = &merge->cells[merge->touched[i]];
		const struct merge_path *path = &merge->paths[merge->touched[i]];

		quantity_add(&cell->allocs, cell->alloc_count);
		/* a frame has no time of its own */
		if (path->kind == MERGE_FRAME && path->parent)
			quantity_add(&merge->cells[path->parent].allocs, cell->allocs);
		if (path->kind == MERGE_FRAME)
			cell->allocs = 0;
		find_self(merge, &hooks, merge->touched[i]);
		charge_self(merge, merge->touched[i]);
	}
}

static void add_times(struct merge *merge, uint32_t path, uint32_t lane,
		      const struct merge_cell *cell)
{
	struct merge_path *row = &merge->paths[path];
	struct merge_share *share;

	quantities_add(QUANTITY_OF_PATH, row->quantities, QUANTITY_OF_LANE,
		       cell->quantities, 1);
	quantity_add(&row->raw_total_ns, cell->raw_total_ns);
	quantity_add(&row->raw_self_ns, cell->raw_self_ns);
	quantity_add(&row->counted_calls, cell->counted_calls);
	time_error_add(&row->self_error, &cell->self_error);
	if (merge->run->lane_count < 2)
		return;
	share = share_of(merge, path, merge->row_lanes[lane]);
	quantity_add(&share->counted_calls, cell->counted_calls);
	quantities_add(QUANTITY_OF_LANE, share->quantities, QUANTITY_OF_LANE,
		       cell->quantities, 1);
}

/* all_ns: what was recorded of the lane; a time of which not all was is not longer. */
static void find_total(struct merge_cell *cell, int is_sampled, int64_t all_ns)
{
	int64_t self_ns = is_sampled ? all_ns : cell->raw_self_ns;
	int64_t total_ns = is_sampled ? all_ns : cell->raw_total_ns;
	struct time_error error = cell->self_error;

	cell->total_ns = cell->self_ns;
	quantity_add(&cell->total_ns, cell->child_total_ns);
	cell->self_error_ns = time_error_half_width(&error, cell->self_ns, self_ns);
	time_error_add(&error, &cell->child_error);
	cell->total_error_ns =
		time_error_total_half_width(&error, cell->total_ns, total_ns);
	cell->child_error = error;
}

/* Between nothing and all that the path was without a CPU. */
static void limit_ready_error(struct merge_cell *cell)
{
	int64_t most_ns = cell->self_ready_ns > cell->self_blocked_ns
				  ? cell->self_ready_ns
				  : cell->self_blocked_ns;

	if (cell->self_ready_error_ns > most_ns)
		cell->self_ready_error_ns = most_ns;
}

static void add_up_split(struct merge_cell *cell)
{
	cell->self_cpu_ns = cell->self_ns - off_cpu_ns(cell);
	limit_ready_error(cell);
	cell->ready_ns = cell->self_ready_ns;
	cell->blocked_ns = cell->self_blocked_ns;
	quantity_add(&cell->ready_ns, cell->child_ready_ns);
	quantity_add(&cell->blocked_ns, cell->child_blocked_ns);
	cell->cpu_ns = cell->total_ns - cell->ready_ns - cell->blocked_ns;
}

static void find_split(struct merge *merge, uint32_t path)
{
	/* the self time may be an estimate */
	limit_off_cpu(merge, path, merge->cells[path].self_ns);
	add_up_split(&merge->cells[path]);
}

static int64_t recorded_ns(const struct merge *merge)
{
	int64_t sum = 0;

	for (size_t i = 0; i < merge->touched_count; i++)
		if (!merge->paths[merge->touched[i]].parent)
			quantity_add(&sum, merge->cells[merge->touched[i]].raw_total_ns);
	return sum;
}

static void charge_total(struct merge *merge, uint32_t path)
{
	const struct merge_cell *cell = &merge->cells[path];
	struct merge_cell *parent = &merge->cells[merge->paths[path].parent];

	if (!merge->paths[path].parent)
		return;
	quantity_add(&parent->child_total_ns, cell->total_ns);
	quantity_add(&parent->child_ready_ns, cell->ready_ns);
	quantity_add(&parent->child_blocked_ns, cell->blocked_ns);
	time_error_add(&parent->child_error, &cell->child_error);
}

void account_totals(struct merge *merge, uint32_t lane)
{
	int64_t all_ns = recorded_ns(merge);

	account_begin(merge);
	for (size_t i = merge->touched_count; i-- > 0;) {
		struct merge_cell *cell = &merge->cells[merge->touched[i]];
		int is_sampled =
			cell->counted_calls ||
			merge->paths[merge->touched[i]].recording == MERGE_SAMPLED;

		find_total(cell, is_sampled, all_ns);
		find_split(merge, merge->touched[i]);
		charge_total(merge, merge->touched[i]);
		add_times(merge, merge->touched[i], lane, cell);
	}
	account_clear(merge);
}

void account_clear(struct merge *merge)
{
	while (merge->touched_count)
		merge->cells[merge->touched[--merge->touched_count]] =
			(struct merge_cell){.is_touched = 0};
}

uint32_t account_next_part(struct merge *merge, int64_t *owed_ns, int64_t *ret_past)
{
	struct merge_cell *cell;
	uint32_t path;
	int64_t cpu_ns;

	if (!merge->touched_count)
		return 0;
	path = merge->touched[--merge->touched_count];
	cell = &merge->cells[path];
	cell->raw_total_ns = ticks_duration_ns(merge->ticks, recorded_ticks(cell));
	cell->raw_self_ns = cell->raw_total_ns - cell->child_raw_ns;
	if (cell->raw_self_ns < -(int64_t)MOST_NS)
		cell->raw_self_ns = -(int64_t)MOST_NS;
	limit_off_cpu(merge, path, cell->raw_self_ns > 0 ? cell->raw_self_ns : 0);
	cpu_ns = cell->raw_self_ns - off_cpu_ns(cell) - cost_ns(&merge->cost, cell) -
		 owed_ns[path];
	settle(cell, cpu_ns, &owed_ns[path]);
	cell->total_ns = cell->self_ns;
	quantity_add(&cell->total_ns, cell->child_total_ns);
	add_up_split(cell);
	charge_self(merge, path);
	charge_total(merge, path);
	quantities_add(QUANTITY_OF_PAST, ret_past, QUANTITY_OF_LANE, cell->quantities, 1);
	*cell = (struct merge_cell){.is_touched = 0};
	return path;
}
