/* SPDX-License-Identifier: MIT */
/* Shares of a path's time, by samples. */
#include "collector/account/sampled/divide.h"

#include <math.h>
#include <stdlib.h>

#include "collector/account/account.h"
#include "collector/account/sampled/computed.h"
#include "collector/account/sampled/credit.h"
#include "collector/account/sampled/leaves.h"
#include "common/poisson.h"
#include "common/base/xalloc.h"

/* K of the estimate, in samples. */
#define PRIOR_SAMPLES 4.0

struct divide {
	const uint32_t *mode_of; /* borrowed; by function, 0: its calls have frames */
	bool *has_hooks;	 /* by function: some path is of its calls */
	struct pools pools;
	struct computed lane; /* the one that is looked at */
};

/* What one path has. */
struct holder {
	struct computed_path samples; /* sampled_ns: w(a) */
	const struct held *held;      /* calls in its time, by function */
	size_t held_count;
	double computed_ns; /* on a CPU */
	struct whole whole; /* ns: T(a), what of it is divided */
	double hook_model_ns, others_model_ns, own_model_ns;
};

struct divide *divide_new(struct pool *pool, const struct merge *merge,
			  const uint32_t *mode_of)
{
	struct divide *divide = pool_array(pool, 1, sizeof(*divide));

	divide->mode_of = mode_of;
	divide->has_hooks = pool_array(pool, merge->identify.function_count + 1,
				       sizeof(*divide->has_hooks));
	for (size_t i = 1; i < merge->path_count; i++)
		if (merge->paths[i].kind != MERGE_FRAME)
			divide->has_hooks[merge->paths[i].function] = true;
	pools_init(&divide->pools, pool, merge->identify.function_count);
	return divide;
}

void divide_credit(const struct divide *divide, struct merge *merge, uint32_t lane)
{
	credit_lane(merge, lane, divide->mode_of, divide->has_hooks);
}

void divide_note(struct divide *divide, const struct merge *merge, uint32_t lane,
		 const struct held *held, size_t count)
{
	pools_note(&divide->pools, merge, lane, held, count);
}

bool divide_knows(const struct divide *divide, uint32_t function)
{
	return pools_period_ns(&divide->pools) > 0 &&
	       function < divide->pools.function_count &&
	       divide->pools.all[function].is_known;
}

static int by_part(const void *a, const void *b)
{
	const struct held *left = a, *right = b;

	if (left->holder != right->holder)
		return left->holder < right->holder ? -1 : 1;
	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	return left->path < right->path ? -1 : left->path > right->path;
}

static bool is_in(const struct sampled_row *row, uint32_t function)
{
	return row->kind == SAMPLED_CODE && row->credited_function == function;
}

/* Samples of the path in this function, be it in an inlined copy; they stand together. */
static void find_rows(const struct holder *holder, struct part *part)
{
	size_t first = 0;

	while (first < holder->samples.row_count &&
	       !is_in(&holder->samples.rows[first], part->function))
		first++;
	part->rows = holder->samples.rows + first;
	while (first + part->row_count < holder->samples.row_count &&
	       is_in(&part->rows[part->row_count], part->function))
		part->sampled_ns += (double)part->rows[part->row_count++].cpu_ns;
}

static double share_of(const struct divide *divide, const struct holder *holder,
		       double sampled_ns, double model_ns)
{
	double prior = PRIOR_SAMPLES * divide->lane.period_ns;
	double all_model =
		holder->hook_model_ns + holder->others_model_ns + holder->own_model_ns;
	double share;

	if (!(all_model > 0))
		return 0;
	share = (sampled_ns + prior * model_ns / all_model) /
		(holder->samples.sampled_ns + prior);
	return share > 0 ? (share < 1 ? share : 1) : 0;
}

/* Adds a part of the holder's time to a path below it, with the error of it. */
static void add_part(struct merge *merge, uint32_t holder, uint32_t path, int64_t ns,
		     const struct time_error *error)
{
	struct merge_cell *cell = merge_touch(merge, path);

	quantity_add(&cell->self_ns, ns);
	time_error_add(&cell->self_error, error);
	if (holder)
		merge->cells[holder].self_error.shared += error->samples;
}

/* Half of an interval, as a standard deviation. */
#define WIDTHS 1.96

/* How the part divides among its calls: as weights say, and what has no samples as there
 * are calls. */
static double portion_of(const struct divide *divide, const struct part *part,
			 const double *weights, size_t call)
{
	double prior = PRIOR_SAMPLES * divide->lane.period_ns;

	return (weights[call] + prior * part->held[call].calls / part->calls) /
	       (part->sampled_ns + prior);
}

/* Gives a part of the holder's time to the paths of its calls. Returns how much. */
static int64_t give(const struct divide *divide, struct merge *merge,
		    const struct holder *holder, const struct part *part, int64_t room)
{
	double share = share_of(divide, holder, part->sampled_ns, part->model_ns);
	auto_free double *weights = xcalloc(part->count, sizeof(*weights));
	double known = portions_add(merge, divide->mode_of, part->rows, part->row_count,
				    part->held, part->count, weights);
	auto_free struct given *given = xcalloc(part->count, sizeof(*given));
	size_t largest = 0;
	int64_t sum = 0;
	float others = 0;

	known /= part->sampled_ns + PRIOR_SAMPLES * divide->lane.period_ns;
	for (size_t i = 0; i < part->count; i++) {
		given[i].portion = portion_of(divide, part, weights, i);
		given[i].own = 1;
		given[i].share = share;
		given[i].ns = (int64_t)(share * holder->whole.ns * given[i].portion);
		if (given[i].ns > room - sum)
			given[i].ns = room - sum;
		sum += given[i].ns;
		/* any of them may have had the time of all */
		given[i].placed = -(float)((double)given[i].ns * (1 - known) / WIDTHS);
		others -= given[i].placed;
		if (given[i].portion > given[largest].portion)
			largest = i;
	}
	given[largest].placed += others;
	for (size_t i = 0; i < part->count; i++) {
		struct time_error error =
			whole_error(&holder->whole, share, given[i].portion);

		error.placed = given[i].placed;
		add_part(merge, holder->samples.path, part->held[i].path, given[i].ns,
			 &error);
	}
	leaves_give(merge, divide->mode_of, &holder->whole, part, weights, given);
	return sum;
}

static struct part find_part(const struct divide *divide, struct holder *holder,
			     size_t first)
{
	struct part part = {.held = &holder->held[first],
			    .function = holder->held[first].function};

	for (; first + part.count < holder->held_count &&
	       holder->held[first + part.count].function == part.function;
	     part.count++)
		part.calls += part.held[part.count].calls;
	find_rows(holder, &part);
	part.model_ns = part.calls * pools_call_ns(&divide->pools.all[part.function]);
	return part;
}

static size_t find_parts(const struct divide *divide, struct merge *merge,
			 struct holder *holder, struct part *ret)
{
	size_t count = 0;

	for (size_t at = 0; at < holder->held_count;) {
		struct part part = find_part(divide, holder, at);

		at += part.count;
		if (!(part.calls > 0))
			continue;
		if (divide->pools.all[part.function].is_known) {
			holder->others_model_ns += part.model_ns;
			ret[count++] = part;
			continue;
		}
		for (size_t i = 0; i < part.count; i++)
			holders_doubt(merge, &part.held[i]);
	}
	return count;
}

static bool has_part(const struct part *parts, size_t count, uint32_t function)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].function == function)
			return true;
	return false;
}

/* Does the sample show a call below the holder, of which no frame tells? Of a function
 * that is only counted, or of one without hooks whose caller is not known. */
static bool is_below(const struct divide *divide, const struct merge *merge,
		     const struct holder *holder, const struct sampled_row *row)
{
	uint32_t function = row->credited_function, path = holder->samples.path;

	if (row->kind != SAMPLED_CODE || function >= divide->pools.function_count ||
	    (path && merge->paths[path].function == function))
		return false;
	return divide->mode_of[function] ||
	       (!divide->has_hooks[function] && merge->paths[path].kind != MERGE_WAIT &&
		merge->paths[path].kind != MERGE_IO);
}

/* Samples in functions of whose calls none is known to be below the holder: they are,
 * though how many is not known. Returns how much they were given. */
static int64_t give_unplaced(const struct divide *divide, struct merge *merge,
			     const struct holder *holder, const struct part *parts,
			     size_t part_count, int64_t room, double *ret_sampled_ns)
{
	int64_t given = 0, ns;
	uint32_t above = holder->samples.path, path;

	*ret_sampled_ns = 0;
	for (size_t i = 0; i < holder->samples.row_count;) {
		const struct sampled_row *row = &holder->samples.rows[i++];
		struct part part = {.function = row->credited_function};
		struct time_error error;
		enum merge_kind kind;
		double share;

		if (!is_below(divide, merge, holder, row) ||
		    has_part(parts, part_count, part.function))
			continue;
		find_rows(holder, &part);
		i += part.row_count - 1;
		kind = divide->mode_of[part.function] ? MERGE_FUNCTION : MERGE_FRAME;
		if (!merge_has_room(merge, above, part.function, kind))
			continue;
		share = share_of(divide, holder, part.sampled_ns, 0);
		error = whole_error(&holder->whole, share, 1);
		ns = (int64_t)(share * holder->whole.ns);
		if (ns > room - given)
			ns = room - given;
		path = merge_child_path(merge, above, part.function, kind);
		if (!merge->paths[path].recording && !merge->cells[path].calls)
			merge->paths[path].recording = MERGE_SAMPLED;
		add_part(merge, above, path, ns, &error);
		if (above && kind == MERGE_FRAME)
			leaves_move_raw(merge, above, path, ns);
		leaves_give_path(merge, divide->mode_of, &holder->whole, &part, path,
				 share, ns);
		*ret_sampled_ns += part.sampled_ns;
		given += ns;
	}
	return given;
}

static void find_times(struct divide *divide, struct merge *merge, struct holder *holder,
		       double counted_ns)
{
	struct merge_cell *cell = &merge->cells[holder->samples.path];
	double sampled_ns = holder->samples.sampled_ns + holder->samples.folded_ns,
	       factor, model_ns;

	holder->computed_ns = holder->samples.path
				      ? computed_cpu_ns(&divide->lane, cell, sampled_ns)
				      : sampled_ns;
	holder->whole.ns = holder->computed_ns;
	if (divide->lane.is_sampled)
		holder->whole.ns =
			fmin(holder->computed_ns,
			     poisson_high(sampled_ns / divide->lane.period_ns) *
					     divide->lane.period_ns +
				     divide->lane.early_ns);
	holder->whole.period_ns = divide->lane.period_ns;
	holder->whole.samples =
		holder->samples.sampled_ns / divide->lane.period_ns + PRIOR_SAMPLES + 1;
	factor = pools_hook_factor(&divide->pools,
				   pools_of(&divide->pools, merge, holder->samples.path),
				   divide->lane.period_ns);
	model_ns = holder->samples.path ? (double)cell->hook_ns : 0;
	for (size_t i = 0; !holder->samples.path && i < holder->held_count; i++)
		model_ns += holder->held[i].counting * counted_ns;
	holder->hook_model_ns = fmin(factor * model_ns, holder->whole.ns);
}

/* On paths with few samples the rest would be what the models of all others miss, and on
 * many such paths together a lot of it. */
static void find_own_model(const struct divide *divide, const struct merge *merge,
			   struct holder *holder)
{
	double all_ns = holder->whole.ns;
	double rest_ns = all_ns - holder->hook_model_ns - holder->others_model_ns;
	const struct pooled *pool = pools_of(&divide->pools, merge, holder->samples.path);

	if (all_ns > 0)
		holder->own_model_ns =
			all_ns * pools_own_part(pool, divide->lane.period_ns,
						rest_ns > 0 ? rest_ns / all_ns : 0);
}

/* What is not given to others is the holder's own, but for the hooks'. */
static void divide_holder(struct divide *divide, struct merge *merge,
			  struct holder *holder)
{
	auto_free struct part *parts = xcalloc(holder->held_count + 1, sizeof(*parts));
	auto_free struct sampled_row *rows =
		credit_placed(merge, holder->samples.rows, holder->samples.row_count,
			      holder->held, holder->held_count);
	struct part own = {.function = merge->paths[holder->samples.path].function};
	size_t count;
	double hook_share, share, own_ns, unplaced_ns;
	int64_t room;
	struct time_error error;

	if (rows)
		holder->samples.rows = rows;
	count = find_parts(divide, merge, holder, parts);
	find_own_model(divide, merge, holder);
	hook_share =
		share_of(divide, holder, holder->samples.hook_ns, holder->hook_model_ns);
	room = (int64_t)(holder->whole.ns * (1 - hook_share));
	own_ns = holder->samples.sampled_ns - holder->samples.hook_ns;
	for (size_t i = 0; i < count; i++) {
		room -= give(divide, merge, holder, &parts[i], room);
		own_ns -= parts[i].sampled_ns;
	}
	room -= give_unplaced(divide, merge, holder, parts, count, room, &unplaced_ns);
	if (holder->samples.path) {
		/* all parts together are as uncertain as that of the hooks is */
		error = whole_error(&holder->whole, hook_share, 1);
		merge->cells[holder->samples.path].self_error.shared -= error.samples;
		share = holder->whole.ns > 0 ? (double)room / holder->whole.ns : 0;
		error = whole_error(&holder->whole, share, 1);
		add_part(merge, holder->samples.path, holder->samples.path,
			 room + (int64_t)(holder->computed_ns - holder->whole.ns),
			 &error);
		if (!has_part(parts, count, own.function))
			find_rows(holder, &own);
		own.sampled_ns = fmax(own.sampled_ns, own_ns - unplaced_ns);
		leaves_give_path(merge, divide->mode_of, &holder->whole, &own,
				 holder->samples.path, share, room);
	}
}

/* What was found without samples; waits are what they are. */
static void forget_selves(struct merge *merge)
{
	for (size_t i = 0; i < merge->touched_count; i++) {
		struct merge_cell *cell = &merge->cells[merge->touched[i]];

		cell->self_ns = cell->self_ready_ns + cell->self_blocked_ns;
		cell->self_error = (struct time_error){.variance = 0};
	}
}

void divide_lane(struct divide *divide, struct merge *merge, uint32_t lane,
		 struct held *held, size_t count)
{
	double counted_ns =
		merge->process_cost[merge->run->lanes[lane].process].counted_ns;
	size_t at = 0;

	computed_find(&divide->lane, merge, lane, pools_period_ns(&divide->pools));
	if (!(divide->lane.period_ns > 0)) {
		for (size_t i = 0; i < count; i++)
			holders_doubt(merge, &held[i]);
		return;
	}
	if (count)
		qsort(held, count, sizeof(*held), by_part);
	account_begin(merge);
	forget_selves(merge);
	computed_find_ready(&divide->lane, merge);
	/* parents first: what a path is given is not its own to give */
	for (size_t touched = 0; touched <= merge->touched_count; touched++) {
		struct holder holder = {
			.samples = computed_of_path(&divide->lane,
						    touched ? merge->touched[touched - 1]
							    : 0)};

		while (at < count && held[at].holder < holder.samples.path)
			at++;
		holder.held = &held[at];
		while (at + holder.held_count < count &&
		       held[at + holder.held_count].holder == holder.samples.path)
			holder.held_count++;
		at += holder.held_count;
		if (merge->paths[holder.samples.path].kind == MERGE_FRAME)
			continue; /* what it has it was given */
		find_times(divide, merge, &holder, counted_ns);
		divide_holder(divide, merge, &holder);
	}
}
