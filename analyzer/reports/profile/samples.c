/* SPDX-License-Identifier: MIT */
/*
 * What paths have in each lane. The lanes' shares and what is not kept by lanes add up
 * to the path's amount. Must not trust ids.
 */
#include "analyzer/reports/profile/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"

#include "profile.sql.h"

#include <stdlib.h>
#include <string.h>

static void keep(struct profiling *profiling, uint32_t node, uint32_t lane,
		 const int64_t values[PROFILE_METRICS])
{
	struct profile *profile = profiling->profile;
	struct profile_sample *sample;
	bool any = false;

	for (size_t i = 0; i < PROFILE_METRICS; i++)
		any |= values[i] != 0;
	if (!any)
		return;
	sample = &ARRAY_ADD(profile->samples, profile->sample_count);
	*sample = (struct profile_sample){.node = node, .lane = lane};
	memcpy(sample->values, values, sizeof(sample->values));
}

static void leave_out(struct profiling *profiling, const int64_t values[PROFILE_METRICS])
{
	for (size_t i = 0; i < PROFILE_METRICS; i++)
		quantity_add(&profiling->left_out[i], values[i]);
}

/* at: a node of the tree. */
static void add(struct profiling *profiling, uint32_t at, uint32_t lane,
		const int64_t values[PROFILE_METRICS])
{
	uint32_t place = profiling->places[at];

	if (place == PROFILE_NONE || (profiling->passes && !profiling->passes[at]))
		leave_out(profiling, values);
	else
		keep(profiling, place, lane, values);
}

void profile_take_node(const struct calltree_node *node, int64_t ret[PROFILE_METRICS])
{
	ret[PROFILE_CALLS] = node->calls;
	ret[PROFILE_WALL] = node->self_ns;
	ret[PROFILE_CPU] = node->self_cpu_ns;
	ret[PROFILE_READY] = node->self_ready_ns;
	ret[PROFILE_BLOCKED] = node->self_blocked_ns;
	ret[PROFILE_ALLOCS] = node->alloc_count;
	ret[PROFILE_BYTES] = node->alloc_bytes;
	ret[PROFILE_LIVE] = node->live_bytes;
	ret[PROFILE_AT_PEAK] = node->at_peak_bytes;
}

static bool is_time(size_t metric)
{
	return metric >= PROFILE_WALL && metric <= PROFILE_BLOCKED;
}

static void take_away(int64_t *from, int64_t value)
{
	if (__builtin_sub_overflow(*from, value, from))
		*from = 0;
}

static void take_lane(struct cursor *cursor, int64_t ret[PROFILE_METRICS])
{
	memset(ret, 0, PROFILE_METRICS * sizeof(*ret));
	ret[PROFILE_CALLS] = cursor_integer(cursor, "calls");
	ret[PROFILE_WALL] = cursor_integer(cursor, "self_ns");
	ret[PROFILE_CPU] = cursor_integer(cursor, "self_cpu_ns");
	ret[PROFILE_READY] = cursor_integer(cursor, "self_ready_ns");
	ret[PROFILE_BLOCKED] = cursor_integer(cursor, "self_blocked_ns");
	ret[PROFILE_ALLOCS] = cursor_integer(cursor, "alloc_count");
	ret[PROFILE_BYTES] = cursor_integer(cursor, "alloc_bytes");
}

/* The time of an inlined copy is its host's. */
static void add_lane(struct profiling *profiling, uint32_t at, uint32_t lane,
		     const int64_t values[PROFILE_METRICS],
		     int64_t (*rests)[PROFILE_METRICS])
{
	const struct calltree *tree = profiling->tree;
	int64_t times[PROFILE_METRICS] = {0}, others[PROFILE_METRICS] = {0};
	uint32_t host;

	if (tree->nodes[at].merged_into != CALLTREE_NONE)
		at = tree->nodes[at].merged_into;
	host = tree->nodes[at].host;
	for (size_t i = 0; i < PROFILE_METRICS; i++) {
		*(is_time(i) ? &times[i] : &others[i]) = values[i];
		take_away(&rests[is_time(i) ? host : at][i], values[i]);
	}
	if (lane == PROFILE_NONE)
		return;
	if (host == at) {
		add(profiling, at, lane, values);
		return;
	}
	add(profiling, host, lane, times);
	add(profiling, at, lane, others);
}

static uint32_t find_lane(const struct profiling *profiling, int64_t lane_id)
{
	size_t count = profiling->profile->lane_count;
	size_t at = COUNT_BEFORE(count, i, profiling->lane_ids[i] < lane_id);

	return at < count && profiling->lane_ids[at] == lane_id ? (uint32_t)at
								: PROFILE_NONE;
}

static void add_lanes(struct profiling *profiling, int64_t (*rests)[PROFILE_METRICS])
{
	auto_cursor struct cursor *cursor =
		report_query(profiling->input, profile_sql_lane_paths);

	while (cursor_next(cursor)) {
		uint32_t at =
			calltree_find(profiling->tree, cursor_integer(cursor, "path_id"));
		int64_t values[PROFILE_METRICS];

		if (at == CALLTREE_NONE)
			continue;
		take_lane(cursor, values);
		add_lane(profiling, at,
			 find_lane(profiling, cursor_integer(cursor, "lane_id")), values,
			 rests);
	}
}

void profile_add_samples(struct profiling *profiling)
{
	const struct calltree *tree = profiling->tree;
	bool has_one = profiling->lane_count == 1 && profiling->profile->lane_count == 1;
	auto_free int64_t(*rests)[PROFILE_METRICS] =
		xcalloc(tree->node_count + 1, sizeof(*rests));

	for (size_t i = 0; i < tree->order_count; i++)
		profile_take_node(&tree->nodes[tree->order[i]], rests[tree->order[i]]);
	/* a run with one lane has no path_lane: its paths are the lane's */
	if (profiling->lane_count > 1)
		add_lanes(profiling, rests);
	/* live memory is kept by path only */
	if (profiling->input->options->thread)
		return;
	for (size_t i = 0; i < tree->order_count; i++)
		add(profiling, tree->order[i], has_one ? 0 : PROFILE_NONE,
		    rests[tree->order[i]]);
}
