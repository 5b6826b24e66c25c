/* SPDX-License-Identifier: MIT */
/* Sorts processes by how long they lived, and finds those that can follow each other. */
#include "collector/merge/merge.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

/* A process with lanes. */
struct tenure {
	uint32_t process;
	uint32_t first_lane, lane_count; /* in by_process */
	uint32_t program;
	int may_share;
	uint64_t begin_ticks, end_ticks;
	uint64_t share_count; /* at most */
};

/* A lane that processes of one program use one after the other. */
struct vacancy {
	uint32_t lane;
	uint64_t free_ticks; /* from when on */
};

/* The lanes of one program for one thread number of its processes. */
struct vacancies {
	struct vacancy *all;
	size_t count;
};

struct finding {
	struct pool pool;
	struct merge *merge;
	struct intern programs;
	uint32_t *by_process; /* lanes, grouped by process */
	struct tenure *tenures;
	size_t count;
	struct vacancies *vacant; /* by program and number of the lane in its process */
	size_t vacant_count;
	struct map vacant_map;
};

static int by_process(const void *a, const void *b, void *data)
{
	const struct read_lane *lanes = data;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return ORDER(lanes[left].process, lanes[right].process) ?: ORDER(left, right);
}

/* May the process share lanes? Not in a slot that forked children used one after the
 * other, which is shared already. */
static int may_share(const struct read_run *run, uint32_t process,
		     const struct ending *end)
{
	const struct read_process *from = &run->processes[process];

	return !end->is_alive && !from->tenant && !from->job &&
	       !from->history.snapshot_count;
}

static uint64_t lifetime(const struct tenure *tenure)
{
	return tenure->end_ticks > tenure->begin_ticks
		       ? tenure->end_ticks - tenure->begin_ticks
		       : 0;
}

static int by_lifetime(const void *a, const void *b)
{
	const struct tenure *left = a, *right = b;

	return ORDER_BY(left, right, may_share)
		       ?: ORDER(lifetime(right), lifetime(left))
		       ?: ORDER_BY(left, right, process);
}

static int by_begin(const void *a, const void *b)
{
	const struct tenure *left = a, *right = b;

	return ORDER_BY_2(left, right, begin_ticks, process);
}

static void add_tenure(struct finding *finding, uint32_t first, uint32_t end,
		       const struct ending *ends)
{
	const struct read_run *run = finding->merge->run;
	uint32_t process = run->lanes[finding->by_process[first]].process;
	struct tenure tenure = {.process = process,
				.first_lane = first,
				.lane_count = end - first,
				.program = intern_text(&finding->programs,
						       run->processes[process].executable,
						       NULL),
				.may_share = may_share(run, process, &ends[process]),
				.begin_ticks = run->processes[process].start_ticks,
				.end_ticks = ends[process].end_ticks};

	for (uint32_t i = first; i < end; i++)
		tenure.share_count += run->lanes[finding->by_process[i]].node_count;
	finding->tenures[finding->count++] = tenure;
}

static void list_tenures(struct finding *finding, const struct ending *ends)
{
	const struct read_run *run = finding->merge->run;
	uint32_t count = (uint32_t)run->lane_count, first = 0;

	for (uint32_t i = 0; i < count; i++)
		finding->by_process[i] = i;
	qsort_r(finding->by_process, count, sizeof(*finding->by_process), by_process,
		run->lanes);
	for (uint32_t i = 1; i <= count; i++) {
		if (i < count && run->lanes[finding->by_process[i]].process ==
					 run->lanes[finding->by_process[first]].process)
			continue;
		add_tenure(finding, first, i, ends);
		first = i;
	}
}

/* Gives lanes of their own to the processes that lived longest, while there is room. */
static void give_own(struct finding *finding)
{
	auto_free uint32_t *own = xcalloc(finding->count, sizeof(*own));
	uint64_t used = 0;

	qsort(finding->tenures, finding->count, sizeof(*finding->tenures), by_lifetime);
	for (size_t i = 0; i < finding->count; i++) {
		struct tenure *tenure = &finding->tenures[i];

		if (tenure->may_share && used >= finding->merge->share_limit &&
		    own[tenure->program] >= SHARED_LANES_OWN)
			continue;
		own[tenure->program]++;
		used += tenure->share_count;
		tenure->may_share = 0;
	}
}

/* The lane that has been free for longest, or NULL. A linear search: there are only as
 * many lanes as processes lived at one time. */
static struct vacancy *longest_free(const struct vacancies *vacant)
{
	struct vacancy *first = vacant->count ? vacant->all : NULL;

	for (size_t i = 1; i < vacant->count; i++)
		if (vacant->all[i].free_ticks < first->free_ticks)
			first = &vacant->all[i];
	return first;
}

static struct vacancies *vacancies_of(struct finding *finding, uint32_t program,
				      uint32_t number)
{
	bool is_new;
	uint32_t index = map_number(&finding->vacant_map, program, number, 0, &is_new);

	if (is_new)
		POOL_ADD(&finding->pool, finding->vacant, finding->vacant_count) =
			(struct vacancies){NULL, 0};
	return &finding->vacant[index];
}

/* Continues the lane that has been free for longest, if one is free. */
static void follow(struct finding *finding, const struct tenure *tenure)
{
	struct merge *merge = finding->merge;

	for (uint32_t i = 0; i < tenure->lane_count; i++) {
		uint32_t lane = finding->by_process[tenure->first_lane + i];
		struct vacancies *vacant = vacancies_of(finding, tenure->program, i);

		struct vacancy *free_lane = longest_free(vacant);

		if (!free_lane || free_lane->free_ticks > tenure->begin_ticks) {
			POOL_ADD(&finding->pool, vacant->all, vacant->count) =
				(struct vacancy){lane, tenure->end_ticks};
			continue;
		}
		merge->row_lanes[lane] = free_lane->lane;
		merge->is_shared_lane[free_lane->lane] = 1;
		merge->shared_lane_count++;
		free_lane->free_ticks = tenure->end_ticks;
	}
}

void shared_lanes_find(struct merge *merge, const struct ending *ends)
{
	size_t count = merge->run->lane_count;
	struct finding finding = {.merge = merge};

	merge->row_lanes = pool_array(&merge->pool, count, sizeof(*merge->row_lanes));
	merge->is_shared_lane =
		pool_array(&merge->pool, count, sizeof(*merge->is_shared_lane));
	for (uint32_t i = 0; i < count; i++)
		merge->row_lanes[i] = i;
	if (!count)
		return;
	finding.by_process =
		pool_array(&finding.pool, count, sizeof(*finding.by_process));
	finding.tenures = pool_array(&finding.pool, count, sizeof(*finding.tenures));
	list_tenures(&finding, ends);
	give_own(&finding);
	qsort(finding.tenures, finding.count, sizeof(*finding.tenures), by_begin);
	for (size_t i = 0; i < finding.count; i++)
		if (finding.tenures[i].may_share)
			follow(&finding, &finding.tenures[i]);
	map_done(&finding.vacant_map);
	intern_free(&finding.programs);
	pool_done(&finding.pool);
}
