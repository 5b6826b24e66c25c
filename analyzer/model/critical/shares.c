/* SPDX-License-Identifier: MIT */
/* Divides the stretches of the critical path among call paths. */
#include "analyzer/model/critical/shares.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/map.h"
#include "common/base/xalloc.h"

/* A path on which waiters saw the holder, and the stretches of holding that are divided
 * by these sightings. */
struct seen {
	uint32_t lane;
	int64_t lock_id;
	uint32_t path;
	double weight;
};

struct work {
	const struct shares_input *input;
	struct shares *shares;
	struct map cells; /* by lane and path: index in shares->all */
	struct seen *seen;
	size_t seen_count;
	double *own_ns;	 /* by lane: stretches that are divided by the lane's work */
	double *held_ns; /* by lane: what its paths got for holding locks */
};

static struct share *cell_of(struct work *work, uint32_t lane, uint32_t path)
{
	struct shares *shares = work->shares;
	bool is_new;
	uint32_t number = map_number(&work->cells, lane, path, 0, &is_new);

	if (is_new) {
		shares->all = array_room(shares->all, number, sizeof(*shares->all));
		shares->all[number] = (struct share){.lane = lane, .path = path};
		shares->count = number + 1;
	}
	return &shares->all[number];
}

static int compare_seen(const void *left, const void *right)
{
	const struct seen *a = left, *b = right;

	return ORDER_BY_2(a, b, lane, lock_id);
}

static void list_seen(struct work *work)
{
	const struct walk_run *run = work->input->run;

	work->seen = xcalloc(run->stall_count + 1, sizeof(*work->seen));
	for (size_t i = 0; i < run->stall_count; i++) {
		const struct walk_stall *stall = &run->stalls[i];
		uint32_t path = work->input->stalls[stall->number].holder_path;

		if (stall->kind == WALK_LOCK && stall->holder_lane != WALK_NONE &&
		    path != WALK_NONE)
			work->seen[work->seen_count++] =
				(struct seen){stall->holder_lane, stall->lock_id, path,
					      stall->end_ns - stall->begin_ns};
	}
	if (work->seen_count)
		qsort(work->seen, work->seen_count, sizeof(*work->seen), compare_seen);
}

/* The first sighting of a lock on a lane, or the place where it would be. */
static size_t first_seen(const struct work *work, uint32_t lane, int64_t lock_id)
{
	const struct seen wanted = {.lane = lane, .lock_id = lock_id};

	return COUNT_BEFORE(work->seen_count, i,
			    compare_seen(&work->seen[i], &wanted) < 0);
}

/* Notes that a lane held a lock for this long. */
static void add_held(struct work *work, uint32_t lane, int64_t lock_id, double ns)
{
	const struct seen wanted = {.lane = lane, .lock_id = lock_id};
	size_t first = first_seen(work, lane, lock_id), end = first;
	double weight = 0;

	for (; end < work->seen_count && !compare_seen(&work->seen[end], &wanted); end++)
		weight += work->seen[end].weight;
	if (!(weight > 0)) {
		work->own_ns[lane] += ns;
		return;
	}
	for (size_t i = first; i < end; i++)
		cell_of(work, lane, work->seen[i].path)->own_ns +=
			ns * work->seen[i].weight / weight;
}

/* Adds the stretches; held ones are summed by lane and lock first: both are few. */
static void add_stretches(struct work *work)
{
	const struct shares_input *input = work->input;
	ended_by(map_done) struct map numbers = {.count = 0};
	auto_free struct seen *held = NULL;
	size_t held_count = 0;

	for (size_t i = 0; i < input->walk->count; i++) {
		const struct walk_stretch *stretch = &input->walk->stretches[i];
		double ns = (stretch->end_ns - stretch->begin_ns) * work->shares->scale;
		const struct walk_stall *stall =
			stretch->stall == WALK_NONE ? NULL
						    : &input->run->stalls[stretch->stall];
		uint32_t lane = stretch->thread == WALK_NONE
					? WALK_NONE
					: input->run->threads[stretch->thread].lane;
		struct share *cell;
		bool is_new;
		uint32_t number;

		if (stretch->work == WALK_BEFORE) {
			work->shares->before_ns += ns;
			continue;
		}
		work->shares->lane_ns[lane] += ns;
		switch (stretch->work) {
		case WALK_BEGUN:
			work->shares->begun_ns += ns;
			break;
		case WALK_WAITED:
			cell = cell_of(work, lane, input->stalls[stall->number].path);
			if (stall->kind == WALK_NAP)
				cell->slept_ns += ns;
			else
				cell->waited_ns += ns;
			break;
		case WALK_WOKEN:
			cell_of(work, lane, input->stalls[stall->number].path)
				->woken_ns += ns;
			break;
		case WALK_HELD:
			number = map_number(&numbers, lane, (uint64_t)stall->lock_id, 0,
					    &is_new);
			if (is_new) {
				held = array_room(held, number, sizeof(*held));
				held[number] = (struct seen){lane, stall->lock_id, 0, 0};
				held_count = number + 1;
			}
			held[number].weight += ns;
			break;
		default:
			work->own_ns[lane] += ns;
		}
	}
	for (size_t i = 0; i < held_count; i++)
		add_held(work, held[i].lane, held[i].lock_id, held[i].weight);
}

/* Limits what a path got for holding to its work; the excess is divided by the lane's
 * work. */
static void cut_held(struct work *work, const struct shares_work *of)
{
	struct share *cell = cell_of(work, of->lane, of->path);

	if (cell->own_ns > of->self_ns) {
		work->own_ns[of->lane] += cell->own_ns - of->self_ns;
		cell->own_ns = of->self_ns;
	}
	work->held_ns[of->lane] += cell->own_ns;
}

/* Drops sightings on paths without work of the lane: those holders were on their way into
 * or out of a wait. */
static void drop_unknown(struct work *work)
{
	ended_by(map_done) struct map known = {.count = 0};

	for (size_t i = 0; i < work->input->work_count; i++)
		map_number(&known, work->input->work[i].lane, work->input->work[i].path,
			   0, NULL);
	for (size_t i = 0; i < work->shares->count; i++) {
		struct share *cell = &work->shares->all[i];

		if (map_get(&known, cell->lane, cell->path, 0) != MAP_NONE)
			continue;
		work->own_ns[cell->lane] += cell->own_ns;
		cell->own_ns = 0;
	}
}

static double within(double value, double least, double most)
{
	return fmax(least, fmin(value, most));
}

/* Divides a lane's time that was not held by the rest of its paths' work. */
static void divide_lane(struct work *work, const struct shares_work *paths, size_t count)
{
	uint32_t lane = paths->lane;
	double all_ns = 0, own_ns = work->own_ns[lane], held_ns = work->held_ns[lane];
	double lane_ns, rest_ns, error_ns, on_ns = own_ns + held_ns;

	for (size_t i = 0; i < count; i++)
		all_ns += paths[i].self_ns;
	lane_ns = fmax(all_ns, work->input->lane_ns[lane]);
	rest_ns = lane_ns - held_ns;
	error_ns = work->shares->error_share * work->shares->run_ns;
	for (size_t i = 0; i < count; i++) {
		struct share *cell = cell_of(work, lane, paths[i].path);
		double self_ns = paths[i].self_ns, divided_ns;

		divided_ns =
			rest_ns > 0 ? own_ns * (self_ns - cell->own_ns) / rest_ns : 0;
		cell->least_ns = fmax(0, on_ns - error_ns - (lane_ns - self_ns));
		cell->most_ns = fmin(self_ns, on_ns + error_ns);
		cell->least_ns = fmin(cell->least_ns, cell->most_ns);
		cell->own_ns =
			within(cell->own_ns + divided_ns, cell->least_ns, cell->most_ns);
	}
}

static void divide(struct work *work)
{
	const struct shares_input *input = work->input;
	double error_ns = work->shares->error_share * work->shares->run_ns;
	size_t first = 0, end;

	for (size_t i = 0; i < input->work_count; i++)
		cut_held(work, &input->work[i]);
	for (; first < input->work_count; first = end) {
		uint32_t lane = input->work[first].lane;

		for (end = first;
		     end < input->work_count && input->work[end].lane == lane;)
			end++;
		if (work->own_ns[lane] + work->held_ns[lane] > 0)
			divide_lane(work, &input->work[first], end - first);
	}
	for (size_t i = 0; i < work->shares->count; i++) {
		struct share *cell = &work->shares->all[i];
		double exact_ns = cell->waited_ns + cell->slept_ns + cell->woken_ns;

		cell->least_ns += fmax(0, exact_ns - error_ns);
		cell->most_ns += exact_ns > 0 ? exact_ns + error_ns : 0;
	}
}

/* Scales the windows to the run: together they are a known part of it. */
static void take_scale(struct work *work)
{
	const struct walk *walk = work->input->walk;
	double ns = 0;

	work->shares->scale = 1;
	if (!walk->window_count)
		return;
	for (size_t i = 0; i < walk->count; i++)
		ns += walk->stretches[i].end_ns - walk->stretches[i].begin_ns;
	work->shares->scale = ns > 0 ? work->shares->run_ns / ns : 0;
	/* half the 95 % interval of a share of one half, the widest case */
	work->shares->error_share = fmin(1, 1 / sqrt((double)walk->window_count));
}

void shares_find(const struct shares_input *input, struct shares *ret)
{
	uint32_t lanes = input->lane_count + 1;
	struct work work = {.input = input, .shares = ret};

	*ret = (struct shares){.run_ns = input->run->end_ns - input->run->begin_ns};
	ret->lane_ns = xcalloc(lanes, sizeof(double));
	work.own_ns = xcalloc(lanes, sizeof(double));
	work.held_ns = xcalloc(lanes, sizeof(double));
	take_scale(&work);
	list_seen(&work);
	add_stretches(&work);
	drop_unknown(&work);
	divide(&work);
	free(work.seen);
	free(work.own_ns);
	free(work.held_ns);
	map_done(&work.cells);
}
