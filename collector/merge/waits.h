/* SPDX-License-Identifier: MIT */
/*
 * Time without a CPU, from a lane's waits to the cells of its paths. Must not know which
 * of it was found out how.
 *
 * A lane with several threads knows of a sleep and the wait for a CPU after it only
 * together, as blocked. How long each thread was ready the kernel has told at its end:
 * what is missing is taken from the blocked time, in equal parts for each sleep. So wrong
 * may be, of a path, all of its part, or what of the whole it slept at most beside it.
 */
#pragma once

#include "collector/merge/place.h"

/* The nodes are placed. */
void waits_add(struct lane_walk *walk, const struct merge_end *end);
/* Of the innermost call that is open on the lane's own stack; 0: none is. */
uint32_t waits_open_path(const struct lane_walk *walk);

/* What of a lane's waits only the whole lane tells: how much longer than asked each sleep
 * was, and the wait that was open in the end, and where. */
struct waits_of_lane {
	double late_ns;
	uint64_t all_late_ns; /* of all of them */
	uint64_t rest_ready_ns, rest_blocked_ns;
	uint32_t rest_node; /* 0: there was none */
};

struct waits_of_lane waits_of_lane(const struct lane_walk *walk,
				   const struct merge_end *end);

/* Of a node of the lane. */
struct change_end waits_of_node(const struct lane_walk *walk,
				const struct waits_of_lane *lane, uint32_t node);

/* How much of what was booked as blocked in the lane was ready. */
double waits_late_share(const struct lane_walk *walk, const struct waits_of_lane *lane);

/* Were the switches of its threads seen at all? */
int waits_are_seen(const struct read_process *process);

/* Of a thread: its row's numbers, or what they leave. -1: not known. */
struct thread_split {
	int64_t cpu_ns, ready_ns, blocked_ns;
};

/* wall_ns: from its start to its end. */
struct thread_split waits_of_thread(const struct segment_thread *thread, int64_t wall_ns);
