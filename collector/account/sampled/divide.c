/* SPDX-License-Identifier: MIT */
/* Shares of a path's time, by samples. */
#include "collector/account/sampled/divide.h"

#include <math.h>
#include <stdlib.h>

#include "collector/account/account.h"
#include "collector/account/sampled/computed.h"
#include "collector/account/sampled/credit.h"
#include "collector/account/sampled/pools.h"
#include "collector/account/sampled/trail.h"
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
	double total_ns;    /* T(a), what of it is divided */
	double hook_model_ns, others_model_ns;
};

/* Of a holder: what one function's calls below it have. */
struct part {
	const struct held *held;
	size_t count;
	uint32_t function;
	double calls, sampled_ns, model_ns;
};

struct divide *divide_new(const struct merge *merge, const uint32_t *mode_of)
{
	struct divide *divide = xcalloc(1, sizeof(*divide));

	divide->mode_of = mode_of;
	divide->has_hooks =
		xcalloc(merge->identify.function_count + 1, sizeof(*divide->has_hooks));
	for (size_t i = 1; i < merge->path_count; i++)
		if (merge->paths[i].kind != MERGE_FRAME)
			divide->has_hooks[merge->paths[i].function] = true;
	pools_init(&divide->pools, merge->identify.function_count);
	return divide;
}

void divide_free(struct divide *divide)
{
	if (!divide)
		return;
	pools_done(&divide->pools);
	free(divide->has_hooks);
	free(divide);
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

/* Samples of the path in this function, be it in an inlined copy. */
static double samples_in(const struct holder *holder, uint32_t function)
{
	double sum = 0;

	for (size_t i = 0; i < holder->samples.row_count; i++)
		if (is_in(&holder->samples.rows[i], function))
			sum += (double)holder->samples.rows[i].cpu_ns;
	return sum;
}

static double share_of(const struct divide *divide, const struct holder *holder,
		       double sampled_ns, double model_ns)
{
	double prior = PRIOR_SAMPLES * divide->lane.period_ns;
	double own_model =
		holder->total_ns - holder->hook_model_ns - holder->others_model_ns;
	double all_model = holder->hook_model_ns + holder->others_model_ns +
			   (own_model > 0 ? own_model : 0);
	double share;

	if (!(all_model > 0))
		return 0;
	share = (sampled_ns + prior * model_ns / all_model) /
		(holder->samples.sampled_ns + prior);
	return share > 0 ? (share < 1 ? share : 1) : 0;
}

/* portion: what of the part it is about. */
static struct time_error error_of(const struct divide *divide,
				  const struct holder *holder, double share,
				  double portion)
{
	double total = holder->total_ns;
	double samples =
		holder->samples.sampled_ns / divide->lane.period_ns + PRIOR_SAMPLES + 1;

	return (struct time_error){.grain = (float)(total / samples),
				   .samples = portion * total * total * share *
					      (1 - share) / samples};
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

/* Of several paths of one function any may have had the time of all of them. */
static size_t largest_of(const struct part *part, const double *portions)
{
	size_t largest = 0;

	for (size_t i = 1; i < part->count; i++)
		if (portions[i] > portions[largest])
			largest = i;
	return largest;
}

/* Half of an interval, as a standard deviation. */
#define WIDTHS 1.96

/* Adds to portions what the row says of each of the part's calls: they are those that
 * agree with most of its stack. 0: it has none. */
static bool add_trail(const struct divide *divide, const struct merge *merge,
		      const struct sampled_row *row, const struct part *part,
		      uint32_t *matches, double *portions)
{
	uint32_t most = 0;
	double calls = 0;
	struct trail trail;

	if (!row->caller)
		return false;
	trail_find(&trail, merge, divide->mode_of, row);
	for (size_t i = 0; i < part->count; i++) {
		matches[i] = trail_match(&trail, merge, row->path, part->held[i].path);
		if (matches[i] > most) {
			most = matches[i];
			calls = 0;
		}
		if (matches[i] == most)
			calls += part->held[i].calls;
	}
	for (size_t i = 0; i < part->count && calls > 0; i++)
		if (matches[i] == most)
			portions[i] += (double)row->cpu_ns * part->held[i].calls / calls;
	return calls > 0;
}

/* How the part divides among its calls: as stacks say, and what has none as there are
 * calls. Returns how much of it stacks say. */
static double find_portions(const struct divide *divide, const struct merge *merge,
			    const struct holder *holder, const struct part *part,
			    double *ret)
{
	double known_ns = 0,
	       rest_ns = part->sampled_ns + PRIOR_SAMPLES * divide->lane.period_ns;
	double all_ns = rest_ns;
	uint32_t *matches = xcalloc(part->count, sizeof(*matches));

	for (size_t i = 0; part->count > 1 && i < holder->samples.row_count; i++) {
		const struct sampled_row *row = &holder->samples.rows[i];

		if (is_in(row, part->function) &&
		    add_trail(divide, merge, row, part, matches, ret))
			known_ns += (double)row->cpu_ns;
	}
	free(matches);
	rest_ns -= known_ns;
	for (size_t i = 0; i < part->count; i++)
		ret[i] = (ret[i] + rest_ns * part->held[i].calls / part->calls) / all_ns;
	return known_ns / all_ns;
}

/* Gives a part of the holder's time to the paths of its calls. Returns how much. */
static int64_t give(const struct divide *divide, struct merge *merge,
		    const struct holder *holder, const struct part *part, int64_t room)
{
	double share = share_of(divide, holder, part->sampled_ns, part->model_ns);
	double *portions = xcalloc(part->count, sizeof(*portions));
	double known = find_portions(divide, merge, holder, part, portions);
	double part_ns = share * holder->total_ns;
	size_t largest = largest_of(part, portions);
	int64_t given = 0;
	double others = 0;

	for (size_t i = 0; i < part->count; i++) {
		struct time_error error = error_of(divide, holder, share, portions[i]);
		int64_t ns = (int64_t)(part_ns * portions[i]);

		if (ns > room - given)
			ns = room - given;
		if (i != largest) {
			error.placed = -(float)((double)ns * (1 - known) / WIDTHS);
			others += (double)ns * (1 - known);
		}
		add_part(merge, holder->samples.path, part->held[i].path, ns, &error);
		given += ns;
	}
	merge->cells[part->held[largest].path].self_error.placed +=
		(float)(others / WIDTHS);
	free(portions);
	return given;
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
	part.sampled_ns = samples_in(holder, part.function);
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
 * that is only counted; or of one without hooks, where such functions are below the
 * holder: else it was called by the holder itself, and is part of it. */
static bool is_below(const struct divide *divide, const struct merge *merge,
		     const struct holder *holder, const struct sampled_row *row)
{
	uint32_t function = row->credited_function;

	if (row->kind != SAMPLED_CODE || function >= divide->pools.function_count ||
	    (row->path && merge->paths[row->path].function == function))
		return false;
	return divide->mode_of[function] ||
	       (!divide->has_hooks[function] && holder->held_count);
}

/* Samples in functions of whose calls none is known to be below the holder: they are,
 * though how many is not known. Returns how much they were given. */
static int64_t give_unplaced(const struct divide *divide, struct merge *merge,
			     const struct holder *holder, const struct part *parts,
			     size_t part_count, int64_t room)
{
	int64_t given = 0, ns;
	size_t next;

	for (size_t i = 0; i < holder->samples.row_count; i = next) {
		const struct sampled_row *row = &holder->samples.rows[i];
		uint32_t function = row->credited_function, path;
		double sampled_ns = 0, share;
		struct time_error error;
		enum merge_kind kind;

		for (next = i; next < holder->samples.row_count &&
			       holder->samples.rows[next].kind == row->kind &&
			       holder->samples.rows[next].credited_function == function;
		     next++)
			sampled_ns += (double)holder->samples.rows[next].cpu_ns;
		if (!is_below(divide, merge, holder, row) ||
		    has_part(parts, part_count, function))
			continue;
		kind = divide->mode_of[function] ? MERGE_FUNCTION : MERGE_FRAME;
		if (!merge_has_room(merge, holder->samples.path, function, kind))
			continue;
		share = share_of(divide, holder, sampled_ns, 0);
		error = error_of(divide, holder, share, 1);
		ns = (int64_t)(share * holder->total_ns);
		if (ns > room - given)
			ns = room - given;
		path = merge_child_path(merge, holder->samples.path, function, kind);
		if (!merge->paths[path].recording && !merge->cells[path].calls)
			merge->paths[path].recording = MERGE_SAMPLED;
		add_part(merge, holder->samples.path, path, ns, &error);
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
	holder->total_ns = holder->computed_ns;
	if (divide->lane.is_sampled)
		holder->total_ns =
			fmin(holder->computed_ns,
			     poisson_high(sampled_ns / divide->lane.period_ns) *
					     divide->lane.period_ns +
				     divide->lane.early_ns);
	factor = pools_hook_factor(&divide->pools,
				   pools_of(&divide->pools, merge, holder->samples.path),
				   divide->lane.period_ns);
	model_ns = holder->samples.path ? (double)cell->hook_ns : 0;
	for (size_t i = 0; !holder->samples.path && i < holder->held_count; i++)
		model_ns += holder->held[i].counting * counted_ns;
	holder->hook_model_ns = fmin(factor * model_ns, holder->total_ns);
}

/* What is not given to others is the holder's own, but for the hooks'. */
static void divide_holder(struct divide *divide, struct merge *merge,
			  struct holder *holder)
{
	struct part *parts = xcalloc(holder->held_count + 1, sizeof(*parts));
	struct sampled_row *rows =
		credit_placed(merge, holder->samples.rows, holder->samples.row_count,
			      holder->held, holder->held_count);
	size_t count;
	double hook_share;
	int64_t room;
	struct time_error error;

	if (rows)
		holder->samples.rows = rows;
	count = find_parts(divide, merge, holder, parts);
	hook_share =
		share_of(divide, holder, holder->samples.hook_ns, holder->hook_model_ns);
	room = (int64_t)(holder->total_ns * (1 - hook_share));
	for (size_t i = 0; i < count; i++)
		room -= give(divide, merge, holder, &parts[i], room);
	room -= give_unplaced(divide, merge, holder, parts, count, room);
	free(parts);
	free(rows);
	if (!holder->samples.path)
		return;
	/* all parts together are as uncertain as that of the hooks is */
	error = error_of(divide, holder, hook_share, 1);
	merge->cells[holder->samples.path].self_error.shared -= error.samples;
	error = error_of(divide, holder,
			 holder->total_ns > 0 ? (double)room / holder->total_ns : 0, 1);
	add_part(merge, holder->samples.path, holder->samples.path,
		 room + (int64_t)(holder->computed_ns - holder->total_ns), &error);
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
		find_times(divide, merge, &holder, counted_ns);
		divide_holder(divide, merge, &holder);
	}
}
