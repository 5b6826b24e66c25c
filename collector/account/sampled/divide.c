/* SPDX-License-Identifier: MIT */
/* Shares of a path's time, by samples. */
#include "collector/account/sampled/divide.h"

#include <math.h>
#include <stdlib.h>

#include "collector/account/account.h"
#include "collector/account/sampled/pools.h"
#include "common/samples/poisson.h"
#include "common/base/xalloc.h"

/* K of the estimate, in samples. */
#define PRIOR_SAMPLES 4.0

/* Three years; only damaged numbers are larger. */
#define MOST_NS 1e17

struct divide {
	const uint32_t *mode_of; /* borrowed; by function, 0: its calls have frames */
	struct pools pools;
	/* of the lane that is looked at: has it samples; is it known what its threads
	 * computed? How much of that has no samples, and how much of this was before the
	 * first */
	bool is_sampled, has_clock;
	double period_ns, unsampled_ns, early_ns;
	double ready_part; /* of what samples take off computed time, what was ready */
	const struct sampled_row *rows;
	size_t row_count;
};

/* What one path has. */
struct holder {
	uint32_t path;
	const struct sampled_row *rows; /* of the path */
	size_t row_count;
	const struct held *held; /* calls in its time, by function */
	size_t held_count;
	double computed_ns; /* on a CPU */
	double total_ns;    /* T(a), what of it is divided */
	double sampled_ns;  /* of samples whose address is known, w(a) */
	double folded_ns;   /* of others */
	double hook_ns, hook_model_ns, others_model_ns;
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
	pools_init(&divide->pools, merge->identify.function_count);
	return divide;
}

void divide_free(struct divide *divide)
{
	if (!divide)
		return;
	pools_done(&divide->pools);
	free(divide);
}

/* What the threads of a lane have computed; 0: not known. */
static double clock_ns(const struct merge *merge, uint32_t lane)
{
	const struct read_lane *from = &merge->run->lanes[lane];
	const struct read_process *process = &merge->run->processes[from->process];
	double ns = 0;

	for (uint32_t i = 0; i < process->thread_count; i++)
		if (process->threads[i].lane_slot == from->slot)
			ns += (double)process->threads[i].cpu_ns;
	return ns;
}

/* Samples of the smaller part of what was computed say nothing of the rest. */
bool divide_has(const struct merge *merge, uint32_t lane)
{
	const struct sampled_lane *own = sampled_header(&merge->sampled, lane);

	return own &&
	       (double)own->cpu_ns + (double)own->kernel_ns >= clock_ns(merge, lane) / 2;
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

/* Samples of the path in this function, be it in an inlined copy. */
static double samples_in(const struct holder *holder, uint32_t function)
{
	double sum = 0;

	for (size_t i = 0; i < holder->row_count; i++)
		if (holder->rows[i].kind == SAMPLED_CODE &&
		    holder->rows[i].credited_function == function)
			sum += (double)holder->rows[i].cpu_ns;
	return sum;
}

/* The first row of a path, or of a later one. */
static size_t find_rows(const struct divide *divide, uint32_t path)
{
	size_t low = 0, high = divide->row_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (divide->rows[middle].path < path)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double share_of(const struct divide *divide, const struct holder *holder,
		       double sampled_ns, double model_ns)
{
	double prior = PRIOR_SAMPLES * divide->period_ns;
	double own_model =
		holder->total_ns - holder->hook_model_ns - holder->others_model_ns;
	double all_model = holder->hook_model_ns + holder->others_model_ns +
			   (own_model > 0 ? own_model : 0);
	double share;

	if (!(all_model > 0))
		return 0;
	share = (sampled_ns + prior * model_ns / all_model) /
		(holder->sampled_ns + prior);
	return share > 0 ? (share < 1 ? share : 1) : 0;
}

/* portion: what of the part it is about. */
static struct time_error error_of(const struct divide *divide,
				  const struct holder *holder, double share,
				  double portion)
{
	double total = holder->total_ns;
	double samples = holder->sampled_ns / divide->period_ns + PRIOR_SAMPLES + 1;

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
static size_t largest_of(const struct part *part)
{
	size_t largest = 0;

	for (size_t i = 1; i < part->count; i++)
		if (part->held[i].calls > part->held[largest].calls)
			largest = i;
	return largest;
}

/* Half of an interval, as a standard deviation. */
#define WIDTHS 1.96

/* Gives a part of the holder's time to the paths of its calls. Returns how much. */
static int64_t give(const struct divide *divide, struct merge *merge,
		    const struct holder *holder, const struct part *part, int64_t room)
{
	double share = share_of(divide, holder, part->sampled_ns, part->model_ns);
	double part_ns = share * holder->total_ns;
	size_t largest = largest_of(part);
	int64_t given = 0, others = 0;

	for (size_t i = 0; i < part->count; i++) {
		double portion = part->held[i].calls / part->calls;
		struct time_error error = error_of(divide, holder, share, portion);
		int64_t ns = (int64_t)(part_ns * portion);

		if (ns > room - given)
			ns = room - given;
		if (i != largest) {
			error.placed = -(float)((double)ns / WIDTHS);
			others += ns;
		}
		add_part(merge, holder->path, part->held[i].path, ns, &error);
		given += ns;
	}
	merge->cells[part->held[largest].path].self_error.placed +=
		(float)((double)others / WIDTHS);
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

static struct holder holder_of(const struct divide *divide, uint32_t path)
{
	size_t first = find_rows(divide, path);
	struct holder holder = {.path = path, .rows = divide->rows + first};

	for (; first + holder.row_count < divide->row_count; holder.row_count++) {
		const struct sampled_row *row = &holder.rows[holder.row_count];

		if (row->path != path)
			break;
		if (row->kind == SAMPLED_FOLDED)
			holder.folded_ns += (double)row->cpu_ns;
		else
			holder.sampled_ns += (double)row->cpu_ns;
		if (pools_is_hook(row))
			holder.hook_ns += (double)row->cpu_ns;
	}
	holder.sampled_ns = fmin(holder.sampled_ns, MOST_NS);
	holder.folded_ns = fmin(holder.folded_ns, MOST_NS);
	holder.hook_ns = fmin(holder.hook_ns, holder.sampled_ns);
	return holder;
}

/* By the clock, without waits: what was computed, as far as switches were seen. On a busy
 * machine they are seen late, on the next path, or not at all where it is the host of a
 * virtual one that takes the CPU: then the samples count, and the thread was ready to run
 * for more or less than was booked. What it computed without samples, in the kernel or
 * before the first, may all have been here. Returns by how much it was longer. */
static int64_t longer_ns(const struct divide *divide, const struct merge_cell *cell,
			 double sampled_ns)
{
	int64_t ns = cell->raw_self_ns - cell->self_ready_ns - cell->self_blocked_ns;
	double samples = sampled_ns / divide->period_ns;
	double most = poisson_high(samples) * divide->period_ns + divide->unsampled_ns;

	if (!divide->has_clock)
		return 0;
	if ((double)ns > most)
		return (int64_t)(sampled_ns + divide->unsampled_ns) - ns;
	if ((double)ns < poisson_low(samples) * divide->period_ns)
		return (int64_t)fmin(sampled_ns - (double)ns,
				     (double)cell->self_ready_ns);
	return 0;
}

/* Waits only move between the paths of a lane: what is more on one is less on others. */
static void find_ready_part(struct divide *divide, const struct merge *merge)
{
	double more = 0, less = 0;

	for (size_t i = 0; i < merge->touched_count; i++) {
		uint32_t path = merge->touched[i];
		struct holder holder = holder_of(divide, path);
		int64_t longer = longer_ns(divide, &merge->cells[path],
					   holder.sampled_ns + holder.folded_ns);

		if (longer > 0)
			less += (double)longer;
		else
			more -= (double)longer;
	}
	divide->ready_part = more > less ? less / more : 1;
}

static double cpu_of(const struct divide *divide, struct merge_cell *cell,
		     double sampled_ns)
{
	int64_t ns = cell->raw_self_ns - cell->self_ready_ns - cell->self_blocked_ns;
	int64_t longer = longer_ns(divide, cell, sampled_ns);

	if (longer < 0)
		longer = (int64_t)((double)longer * divide->ready_part);
	quantity_add(&cell->self_ready_ns, -longer);
	quantity_add(&cell->self_ns, -longer);
	return ns + longer > 0 ? (double)(ns + longer) : 0;
}

static bool has_part(const struct part *parts, size_t count, uint32_t function)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].function == function)
			return true;
	return false;
}

/* Is it of a function that is only counted, and not the holder's own? */
static bool is_counted(const struct divide *divide, const struct merge *merge,
		       const struct sampled_row *row)
{
	return row->kind == SAMPLED_CODE &&
	       row->credited_function < divide->pools.function_count &&
	       divide->mode_of[row->credited_function] &&
	       (!row->path || merge->paths[row->path].function != row->credited_function);
}

/* Samples in functions that are only counted, of whose calls none is known to be below
 * the holder: they are, though how many is not known. Returns how much they were given.
 */
static int64_t give_unplaced(const struct divide *divide, struct merge *merge,
			     const struct holder *holder, const struct part *parts,
			     size_t part_count, int64_t room)
{
	int64_t given = 0, ns;
	size_t next;

	for (size_t i = 0; i < holder->row_count; i = next) {
		const struct sampled_row *row = &holder->rows[i];
		double sampled_ns = 0, share;
		struct time_error error;
		uint32_t path;

		for (next = i;
		     next < holder->row_count && holder->rows[next].kind == row->kind &&
		     holder->rows[next].credited_function == row->credited_function;
		     next++)
			sampled_ns += (double)holder->rows[next].cpu_ns;
		if (!is_counted(divide, merge, row) ||
		    has_part(parts, part_count, row->credited_function) ||
		    !merge_has_room(merge, holder->path, row->credited_function,
				    MERGE_FUNCTION))
			continue;
		share = share_of(divide, holder, sampled_ns, 0);
		error = error_of(divide, holder, share, 1);
		ns = (int64_t)(share * holder->total_ns);
		if (ns > room - given)
			ns = room - given;
		path = merge_child_path(merge, holder->path, row->credited_function,
					MERGE_FUNCTION);
		if (!merge->paths[path].recording && !merge->paths[path].calls)
			merge->paths[path].recording = SEGMENT_RECORDING_COUNTED;
		add_part(merge, holder->path, path, ns, &error);
		given += ns;
	}
	return given;
}

static void find_times(struct divide *divide, struct merge *merge, struct holder *holder,
		       double counted_ns)
{
	struct merge_cell *cell = &merge->cells[holder->path];
	double sampled_ns = holder->sampled_ns + holder->folded_ns, factor, model_ns;

	holder->computed_ns =
		holder->path ? cpu_of(divide, cell, sampled_ns) : sampled_ns;
	holder->total_ns = holder->computed_ns;
	if (divide->is_sampled)
		holder->total_ns = fmin(holder->computed_ns,
					poisson_high(sampled_ns / divide->period_ns) *
							divide->period_ns +
						divide->early_ns);
	factor = pools_hook_factor(&divide->pools,
				   pools_of(&divide->pools, merge, holder->path),
				   divide->period_ns);
	model_ns = holder->path ? (double)cell->hook_ns : 0;
	for (size_t i = 0; !holder->path && i < holder->held_count; i++)
		model_ns += holder->held[i].counting * counted_ns;
	holder->hook_model_ns = fmin(factor * model_ns, holder->total_ns);
}

/* What is not given to others is the holder's own, but for the hooks'. */
static void divide_holder(struct divide *divide, struct merge *merge,
			  struct holder *holder)
{
	struct part *parts = xcalloc(holder->held_count + 1, sizeof(*parts));
	size_t count = find_parts(divide, merge, holder, parts);
	double hook_share =
		share_of(divide, holder, holder->hook_ns, holder->hook_model_ns);
	int64_t room = (int64_t)(holder->total_ns * (1 - hook_share));
	struct time_error error;

	for (size_t i = 0; i < count; i++)
		room -= give(divide, merge, holder, &parts[i], room);
	room -= give_unplaced(divide, merge, holder, parts, count, room);
	free(parts);
	if (!holder->path)
		return;
	/* all parts together are as uncertain as that of the hooks is */
	error = error_of(divide, holder, hook_share, 1);
	merge->cells[holder->path].self_error.shared -= error.samples;
	error = error_of(divide, holder,
			 holder->total_ns > 0 ? (double)room / holder->total_ns : 0, 1);
	add_part(merge, holder->path, holder->path,
		 room + (int64_t)(holder->computed_ns - holder->total_ns), &error);
}

/* Threads have no samples at first, and none in the kernel. */
static void find_lane(struct divide *divide, const struct merge *merge, uint32_t lane)
{
	const struct sampled_lane *own = sampled_header(&merge->sampled, lane);
	double computed = clock_ns(merge, lane), ns = 0, samples = 0;

	divide->is_sampled = divide_has(merge, lane);
	divide->has_clock = false;
	divide->period_ns = pools_period_ns(&divide->pools);
	divide->unsampled_ns = divide->early_ns = 0;
	divide->rows = sampled_of_lane(&merge->sampled, lane, &divide->row_count);
	if (!divide->is_sampled) {
		divide->row_count = 0;
		return;
	}
	for (size_t i = 0; i < divide->row_count; i++) {
		ns += (double)divide->rows[i].cpu_ns;
		samples += (double)divide->rows[i].count;
	}
	if (samples > 0)
		divide->period_ns = ns / samples;
	divide->has_clock = computed > (double)own->cpu_ns / 2;
	divide->unsampled_ns = fmin(fmax(computed - (double)own->cpu_ns, 0), MOST_NS);
	divide->early_ns = fmax(divide->unsampled_ns - (double)own->kernel_ns, 0);
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

	find_lane(divide, merge, lane);
	if (!(divide->period_ns > 0)) {
		for (size_t i = 0; i < count; i++)
			holders_doubt(merge, &held[i]);
		return;
	}
	if (count)
		qsort(held, count, sizeof(*held), by_part);
	account_begin(merge);
	forget_selves(merge);
	find_ready_part(divide, merge);
	/* parents first: what a path is given is not its own to give */
	for (size_t touched = 0; touched <= merge->touched_count; touched++) {
		struct holder holder =
			holder_of(divide, touched ? merge->touched[touched - 1] : 0);

		while (at < count && held[at].holder < holder.path)
			at++;
		holder.held = &held[at];
		while (at + holder.held_count < count &&
		       held[at + holder.held_count].holder == holder.path)
			holder.held_count++;
		at += holder.held_count;
		find_times(divide, merge, &holder, counted_ns);
		divide_holder(divide, merge, &holder);
	}
}
