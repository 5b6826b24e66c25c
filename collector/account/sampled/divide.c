/* SPDX-License-Identifier: MIT */
/* Shares of a path's time, by samples. */
#include "collector/account/sampled/divide.h"

#include <math.h>
#include <stdlib.h>

#include "collector/account/account.h"
#include "common/base/xalloc.h"

/* K of the estimate, in samples; and of the pools, towards the run's. */
#define PRIOR_SAMPLES 4.0
#define POOL_SAMPLES 4.0

/* Three years; only damaged numbers are larger. */
#define MOST_NS 1e17

/* What is known of a function in all lanes. */
struct pool {
	double calls, ns; /* of its counted calls: how many, and samples in them */
	double hook_ns, model_ns; /* of its paths: samples in hooks, the calibration's */
};

struct divide {
	const uint32_t *mode_of; /* borrowed; by function, 0: its calls have frames */
	struct pool *pools;	 /* by function */
	struct pool all;
	size_t function_count;
	/* of the lane that is looked at: is it known what its threads computed? How much
	 * of that has no samples, and how much of this was before the first */
	int has_clock;
	double unsampled_ns, early_ns;
};

/* Of a holder: what one function's calls below it have. */
struct part {
	size_t first, end; /* moves */
	uint32_t function;
	double calls, sampled_ns, model_ns;
};

struct divide *divide_new(const struct merge *merge, const uint32_t *mode_of)
{
	struct divide *divide = xcalloc(1, sizeof(*divide));

	divide->mode_of = mode_of;
	divide->function_count = merge->identify.function_count;
	divide->pools = xcalloc(divide->function_count + 1, sizeof(*divide->pools));
	return divide;
}

void divide_free(struct divide *divide)
{
	if (!divide)
		return;
	free(divide->pools);
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
int divide_has(const struct merge *merge, uint32_t lane)
{
	const struct sampled_lane *own = sampled_header(&merge->sampled, lane);

	return own &&
	       (double)own->cpu_ns + (double)own->kernel_ns >= clock_ns(merge, lane) / 2;
}

static int is_hook(const struct sampled_row *row)
{
	return row->kind == SAMPLED_HOOKS || row->kind == SAMPLED_STUBS;
}

static int by_part(const void *a, const void *b)
{
	const struct move *left = a, *right = b;

	if (left->holder != right->holder)
		return left->holder < right->holder ? -1 : 1;
	return left->mode < right->mode ? -1 : left->mode > right->mode;
}

static uint32_t function_of(const struct merge *merge, const struct move *move)
{
	return merge->modes[move->mode].function;
}

/* Samples of the path in this function, be it in an inlined copy. The rows of the path
 * are those from first on. */
static double samples_in(const struct sampled_row *rows, size_t count, uint32_t path,
			 uint32_t function)
{
	double sum = 0;

	for (size_t i = 0; i < count && rows[i].path == path; i++)
		if (rows[i].kind == SAMPLED_CODE && rows[i].credited_function == function)
			sum += (double)rows[i].cpu_ns;
	return sum;
}

/* The first row of a path, or of a later one. */
static size_t find_rows(const struct sampled_row *rows, size_t count, uint32_t path)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows[middle].path < path)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct pool *pool_of(struct divide *divide, const struct merge *merge,
			    uint32_t path)
{
	return &divide->pools[path ? merge->paths[path].function
				   : divide->function_count];
}

void divide_note(struct divide *divide, const struct merge *merge, uint32_t lane,
		 const struct move *moves, size_t count)
{
	size_t row_count;
	const struct sampled_row *rows =
		sampled_of_lane(&merge->sampled, lane, &row_count);

	for (size_t i = 0; i < row_count; i++) {
		struct pool *holder = pool_of(divide, merge, rows[i].path);
		double ns = (double)rows[i].cpu_ns;

		if (is_hook(&rows[i])) {
			holder->hook_ns += ns;
			divide->all.hook_ns += ns;
		}
		if (rows[i].kind == SAMPLED_CODE &&
		    rows[i].credited_function < divide->function_count)
			divide->pools[rows[i].credited_function].ns += ns;
	}
	for (size_t i = 0; i < merge->touched_count; i++) {
		uint32_t path = merge->touched[i];
		double ns = (double)merge->cells[path].hook_ns;

		pool_of(divide, merge, path)->model_ns += ns;
		divide->all.model_ns += ns;
	}
	for (size_t i = 0; i < count; i++) {
		double ns =
			moves[i].counting *
			merge->process_cost[merge->run->lanes[lane].process].counted_ns;

		pool_of(divide, merge, moves[i].holder)->model_ns += ns;
		divide->all.model_ns += ns;
		divide->pools[function_of(merge, &moves[i])].calls += moves[i].calls;
	}
}

/* r(A): what the hooks cost against the calibration. */
static double hook_factor(const struct divide *divide, const struct pool *pool,
			  double period_ns)
{
	double all =
		divide->all.model_ns > 0 ? divide->all.hook_ns / divide->all.model_ns : 1;
	double weight = POOL_SAMPLES * period_ns;

	return pool->model_ns > 0 || weight > 0
		       ? (pool->hook_ns + weight * all) / (pool->model_ns + weight)
		       : all;
}

/* s(f). */
static double call_ns(const struct pool *pool)
{
	return pool->calls >= 1 ? pool->ns / pool->calls : 0;
}

static float variance_of(double total_ns, double share, double samples)
{
	return (float)(total_ns * total_ns * share * (1 - share) / (samples + 1));
}

struct holder {
	uint32_t path;
	const struct sampled_row *rows; /* of the path */
	size_t row_count;
	double total_ns; /* T(a), what is divided */
	double sampled_ns, hook_ns, period_ns;
	double hook_model_ns, others_model_ns;
};

static double period_of(const struct merge *merge, uint32_t lane)
{
	size_t count;
	const struct sampled_row *rows = sampled_of_lane(&merge->sampled, lane, &count);
	double ns = 0, samples = 0;

	for (size_t i = 0; i < count; i++) {
		ns += (double)rows[i].cpu_ns;
		samples += (double)rows[i].count;
	}
	return samples > 0 ? ns / samples : 0;
}

static double share_of(const struct holder *holder, double sampled_ns, double model_ns)
{
	double prior = PRIOR_SAMPLES * holder->period_ns;
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

/* Gives a part of the holder's time to the paths of its calls. Returns how much. */
static int64_t give(struct merge *merge, const struct holder *holder,
		    const struct move *moves, const struct part *part, int64_t room)
{
	double share = share_of(holder, part->sampled_ns, part->model_ns);
	double part_ns = share * holder->total_ns;
	double samples = holder->sampled_ns / holder->period_ns + PRIOR_SAMPLES;
	float variance = variance_of(holder->total_ns, share, samples);
	int64_t given = 0;

	for (size_t i = part->first; i < part->end; i++) {
		double portion = moves[i].calls / part->calls;
		int64_t ns = (int64_t)(part_ns * portion);
		struct time_error error = {.variance = variance * (float)portion};

		if (ns > room - given)
			ns = room - given;
		quantity_add(&merge->cells[moves[i].path].self_ns, ns);
		time_error_add(&merge->cells[moves[i].path].self_error, &error);
		given += ns;
	}
	return given;
}

static void find_part(const struct divide *divide, const struct merge *merge,
		      struct holder *holder, const struct move *moves, struct part *part)
{
	part->function = function_of(merge, &moves[part->first]);
	part->calls = 0;
	for (size_t i = part->first; i < part->end; i++)
		part->calls += moves[i].calls;
	part->sampled_ns =
		samples_in(holder->rows, holder->row_count, holder->path, part->function);
	part->model_ns = part->calls * call_ns(&divide->pools[part->function]);
	holder->others_model_ns += part->model_ns;
}

/* The moves of one holder, [first, end), in the order of their functions. */
static size_t find_parts(const struct divide *divide, const struct merge *merge,
			 struct holder *holder, const struct move *moves, size_t first,
			 size_t end, struct part *ret)
{
	size_t count = 0;

	while (first < end) {
		struct part part = {.first = first};
		uint32_t function = function_of(merge, &moves[first]);

		while (first < end && function_of(merge, &moves[first]) == function)
			first++;
		part.end = first;
		find_part(divide, merge, holder, moves, &part);
		if (part.calls > 0)
			ret[count++] = part;
	}
	return count;
}

/* Between these a count of samples is the true mean in 95 of 100 cases (Byar), in
 * samples. */
static double lower_count(double samples)
{
	double root;

	if (samples < 1)
		return 0;
	root = 1 - 1 / (9 * samples) - 1.96 / (3 * sqrt(samples));
	return root > 0 ? samples * root * root * root : 0;
}

static double upper_count(double samples)
{
	double next = samples + 1;
	double root = 1 - 1 / (9 * next) + 1.96 / (3 * sqrt(next));

	return next * root * root * root;
}

/* By the clock, without waits: what was computed, as far as switches were seen. On a busy
 * machine they are seen late, on the next path, or not at all where it is the host of a
 * virtual one that takes the CPU: then the samples count, and the thread was ready to run
 * for more or less than was booked. What it computed without samples, in the kernel or
 * before the first, may all have been here. */
static double cpu_of(const struct divide *divide, struct merge_cell *cell,
		     const struct holder *holder)
{
	int64_t ns = cell->raw_self_ns - cell->self_ready_ns - cell->self_blocked_ns;
	double samples = holder->sampled_ns / holder->period_ns;
	double most = upper_count(samples) * holder->period_ns + divide->unsampled_ns;
	int64_t now = ns;

	if (!divide->has_clock)
		return ns > 0 ? (double)ns : 0;
	if ((double)ns > most)
		now = (int64_t)(holder->sampled_ns + divide->unsampled_ns);
	if ((double)ns < lower_count(samples) * holder->period_ns)
		now = (int64_t)holder->sampled_ns;
	if (now > ns + cell->self_ready_ns)
		now = ns + cell->self_ready_ns;
	quantity_add(&cell->self_ready_ns, ns - now);
	quantity_add(&cell->self_ns, ns - now);
	return now > 0 ? (double)now : 0;
}

static int has_part(const struct part *parts, size_t count, uint32_t function)
{
	for (size_t i = 0; i < count; i++)
		if (parts[i].function == function)
			return 1;
	return 0;
}

static void add_unplaced(struct merge *merge, uint32_t path, int64_t ns, float variance)
{
	struct merge_cell *cell = merge_touch(merge, path);
	struct time_error error = {.variance = variance};

	if (!cell->calls)
		merge->paths[path].recording = SEGMENT_RECORDING_COUNTED;
	quantity_add(&cell->self_ns, ns);
	time_error_add(&cell->self_error, &error);
}

/* Samples in functions that are only counted, of whose calls none is known to be below
 * the holder: they are, though how many is not known. */
static int64_t give_unplaced(struct divide *divide, struct merge *merge,
			     const struct holder *holder, const struct part *parts,
			     size_t part_count, int64_t room)
{
	double samples = holder->sampled_ns / holder->period_ns + PRIOR_SAMPLES;
	int64_t given = 0;
	size_t next;

	for (size_t i = 0; i < holder->row_count && holder->rows[i].path == holder->path;
	     i = next) {
		const struct sampled_row *row = &holder->rows[i];
		double sampled_ns = 0, share;
		uint32_t path;
		int64_t ns;

		for (next = i;
		     next < holder->row_count &&
		     holder->rows[next].path == holder->path &&
		     holder->rows[next].kind == row->kind &&
		     holder->rows[next].credited_function == row->credited_function;
		     next++)
			sampled_ns += (double)holder->rows[next].cpu_ns;
		if (row->kind != SAMPLED_CODE ||
		    row->credited_function >= divide->function_count ||
		    !divide->mode_of[row->credited_function] ||
		    (holder->path &&
		     merge->paths[holder->path].function == row->credited_function) ||
		    has_part(parts, part_count, row->credited_function) ||
		    !merge_has_room(merge, holder->path, row->credited_function,
				    MERGE_FUNCTION))
			continue;
		share = share_of(holder, sampled_ns, 0);
		ns = (int64_t)(share * holder->total_ns);
		if (ns > room - given)
			ns = room - given;
		path = merge_child_path(merge, holder->path, row->credited_function,
					MERGE_FUNCTION);
		add_unplaced(merge, path, ns,
			     variance_of(holder->total_ns, share, samples));
		given += ns;
	}
	return given;
}

/* What is not given to others is the holder's own, but for the hooks'. */
static void divide_holder(struct divide *divide, struct merge *merge,
			  const struct hook_cost *cost, struct holder *holder,
			  const struct move *moves, size_t first, size_t end)
{
	struct merge_cell *before = &merge->cells[holder->path];
	struct merge_cell *cell;
	struct part *parts = xcalloc(end - first + 1, sizeof(*parts));
	const struct pool *pool = pool_of(divide, merge, holder->path);
	double counting = 0, hook_share, samples, computed_ns;
	int64_t room;
	size_t count;

	for (size_t i = first; i < end; i++)
		counting += moves[i].counting;
	computed_ns = holder->path ? cpu_of(divide, before, holder) : holder->sampled_ns;
	holder->total_ns =
		fmin(computed_ns, upper_count(holder->sampled_ns / holder->period_ns) *
						  holder->period_ns +
					  divide->early_ns);
	holder->hook_model_ns = hook_factor(divide, pool, holder->period_ns) *
				((holder->path ? (double)before->hook_ns : 0) +
				 counting * cost->counted_ns);
	if (holder->hook_model_ns > holder->total_ns)
		holder->hook_model_ns = holder->total_ns;
	count = find_parts(divide, merge, holder, moves, first, end, parts);
	hook_share = share_of(holder, holder->hook_ns, holder->hook_model_ns);
	room = (int64_t)(holder->total_ns * (1 - hook_share));
	for (size_t i = 0; i < count; i++)
		room -= give(merge, holder, moves, &parts[i], room);
	room -= give_unplaced(divide, merge, holder, parts, count, room);
	free(parts);
	if (!holder->path)
		return;
	samples = holder->sampled_ns / holder->period_ns + PRIOR_SAMPLES;
	cell = &merge->cells[holder->path];
	quantity_add(&cell->self_ns, room + (int64_t)(computed_ns - holder->total_ns));
	time_error_add(
		&cell->self_error,
		&(struct time_error){
			.variance = variance_of(holder->total_ns,
						holder->total_ns > 0
							? (double)room / holder->total_ns
							: 0,
						samples)});
}

/* Threads have no samples at first, and none in the kernel. */
static void find_unsampled(struct divide *divide, const struct merge *merge,
			   uint32_t lane)
{
	const struct sampled_lane *own = sampled_header(&merge->sampled, lane);
	double computed = clock_ns(merge, lane);

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
		 struct move *moves, size_t count)
{
	const struct hook_cost *cost =
		&merge->process_cost[merge->run->lanes[lane].process];
	double period_ns = period_of(merge, lane);
	size_t row_count, at = 0, end, touched = 0;
	const struct sampled_row *rows =
		sampled_of_lane(&merge->sampled, lane, &row_count);

	if (!(period_ns > 0))
		return;
	if (count)
		qsort(moves, count, sizeof(*moves), by_part);
	find_unsampled(divide, merge, lane);
	account_begin(merge);
	forget_selves(merge);
	/* parents first: what a path is given is not its own to give */
	for (; touched <= merge->touched_count; touched++) {
		uint32_t path = touched ? merge->touched[touched - 1] : 0;
		size_t row = find_rows(rows, row_count, path);
		struct holder holder = {.path = path,
					.rows = rows + row,
					.row_count = row_count - row,
					.period_ns = period_ns};

		for (; row < row_count && rows[row].path == path; row++) {
			holder.sampled_ns += (double)rows[row].cpu_ns;
			if (is_hook(&rows[row]))
				holder.hook_ns += (double)rows[row].cpu_ns;
		}
		holder.sampled_ns = fmin(holder.sampled_ns, MOST_NS);
		holder.hook_ns = fmin(holder.hook_ns, holder.sampled_ns);
		while (at < count && moves[at].holder < path)
			at++;
		for (end = at; end < count && moves[end].holder == path;)
			end++;
		divide_holder(divide, merge, cost, &holder, moves, at, end);
		at = end;
	}
}
