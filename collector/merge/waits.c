/* SPDX-License-Identifier: MIT */
/* Books how long threads waited for a CPU or slept. */
#include "collector/merge/place.h"

#include "common/libc/calls.h"

#include <math.h>

/* A thread's CPU time is read at switches only, so a shorter rest may be computing. */
#define SHORTEST_REST_NS 1000000
#define LATE_ROUNDS 64

/* The ready time of all threads of the lane, as far as the kernel reported it. */
static uint64_t threads_ready_ns(const struct lane_walk *walk)
{
	const struct read_run *run = walk->merge->run;
	const struct read_process *process = &run->processes[walk->process_index];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < process->thread_count; i++)
		if (process->threads[i].lane_slot == run->lanes[walk->lane].slot)
			count_add(&sum, process->threads[i].ready_ns);
	return sum;
}

/* The ready time that is not booked as such. */
static uint64_t unbooked_ready_ns(const struct lane_walk *walk)
{
	uint64_t known_ns = 0, ready_ns = threads_ready_ns(walk);

	for (uint32_t i = 0; i < walk->data.wait_count; i++)
		count_add(&known_ns, walk->data.waits[i].ready_ns);
	return ready_ns > known_ns ? ready_ns - known_ns : 0;
}

/* How late, in ns, each of the lane's sleeps ended. No sleep was late by more than it
 * lasted; what short ones cannot account for falls on the longer ones. So each round
 * raises the value. */
static double late_ns(const struct lane_walk *walk, uint64_t ready_ns)
{
	double late_ns = 0;

	for (int round = 0; round < LATE_ROUNDS; round++) {
		double left_ns = (double)ready_ns, count = 0;

		for (uint32_t i = 0; i < walk->data.wait_count; i++) {
			const struct segment_wait *wait = &walk->data.waits[i];

			if (late_ns * wait->blocked_count < (double)wait->blocked_ns)
				count += wait->blocked_count;
			else
				left_ns -= (double)wait->blocked_ns;
		}
		if (!(count > 0) || left_ns / count <= late_ns)
			break;
		late_ns = left_ns / count;
	}
	return late_ns;
}

/* The error of a path's late time. All of its sleeps may have been late or none: certain
 * is only that they were late by no more than all of the lane's, and than they lasted. */
static uint64_t late_error_ns(const struct waits_of_lane *lane, uint64_t blocked_ns,
			      uint64_t late_ns)
{
	uint64_t most_ns =
		lane->all_late_ns < blocked_ns ? lane->all_late_ns : blocked_ns;

	if (most_ns < late_ns)
		most_ns = late_ns;
	return late_ns > most_ns - late_ns ? late_ns : most_ns - late_ns;
}

static void add_to(struct lane_walk *walk, uint32_t node, uint64_t ready_ns,
		   uint64_t blocked_ns, uint64_t error_ns)
{
	uint32_t path = place_path(walk, node);
	struct merge_cell *cell;

	if (!path)
		return; /* outside of all functions: only the thread has it */
	cell = merge_touch(walk->merge, path);
	quantity_add(&cell->self_ready_ns, quantity_of_count(ready_ns));
	quantity_add(&cell->self_blocked_ns, quantity_of_count(blocked_ns));
	quantity_add(&cell->self_ready_error_ns, quantity_of_count(error_ns));
}

/* The current stack's frames lie before those of fibers. */
static const struct segment_frame *innermost_frame(const struct lane_walk *walk)
{
	uint32_t depth = walk->data.frame_count;

	for (uint32_t i = 0; i < walk->data.fiber_count; i++)
		depth -= walk->data.fibers[i].depth;
	return depth ? &walk->data.frames[depth - 1] : NULL;
}

static uint32_t innermost_open(const struct lane_walk *walk)
{
	const struct segment_frame *frame = innermost_frame(walk);

	return frame ? frame->node : 0;
}

uint32_t waits_open_path(const struct lane_walk *walk)
{
	return place_path(walk, innermost_open(walk));
}

/* The sleep of a thread that died in a libc call before its CPU time was ever read. */
static int64_t open_call_ns(const struct lane_walk *walk)
{
	uint64_t end_ticks = walk->end->end_ticks;
	uint32_t node = innermost_open(walk);
	uint64_t start_ticks;

	if (!node || node >= walk->data.node_count ||
	    !segment_key_is_libc(walk->data.nodes[node].key) || !walk->waits.are_seen)
		return 0;
	start_ticks = innermost_frame(walk)->start_ticks;
	return start_ticks < end_ticks
		       ? ticks_duration_ns(walk->merge->ticks,
					   (double)(end_ticks - start_ticks))
		       : 0;
}

/* The time of an unfinished thread that is neither CPU time nor booked yet: a sleep that
 * was still open when its process ended. */
static int64_t find_rest(const struct lane_walk *walk)
{
	uint64_t end_ticks = walk->end->end_ticks;
	const struct read_run *run = walk->merge->run;
	const struct read_process *process = &run->processes[walk->process_index];
	uint32_t last = walk->data.header.thread;
	const struct segment_thread *thread;
	int64_t wall_ns;

	if (!walk->data.header.in_use || last >= process->thread_count)
		return 0;
	thread = &process->threads[last];
	if (thread->end_ticks || end_ticks < thread->start_ticks)
		return 0;
	if (!thread->cpu_ns)
		return open_call_ns(walk);
	wall_ns = ticks_duration_ns(walk->merge->ticks,
				    (double)(end_ticks - thread->start_ticks));
	return wall_ns - quantity_of_count(thread->cpu_ns) -
	       quantity_of_count(thread->off_ns);
}

/* The collector looks at the clocks of threads once a second. */
#define LOOK_NS 1500000000u

/* Splits the open rest into ready and blocked. A thread in a libc call slept. In other
 * code a thread usually computes or is ready, so the time since the last look is split as
 * before; only when that exceeds the time between two looks was it asleep. */
static void split_rest(const struct lane_walk *walk, struct waits_of_lane *waits,
		       uint64_t rest_ns, uint64_t *ready_ns)
{
	const struct read_process *process =
		&walk->merge->run->processes[walk->process_index];
	uint64_t cpu_ns = process->threads[walk->data.header.thread].cpu_ns;
	uint64_t known_ns = *ready_ns < rest_ns ? *ready_ns : rest_ns;
	uint64_t later_ns = rest_ns - known_ns;

	waits->rest_node = innermost_open(walk);
	waits->rest_blocked_ns = rest_ns;
	if (waits->rest_node >= walk->data.node_count ||
	    segment_key_is_libc(walk->data.nodes[waits->rest_node].key))
		return;
	*ready_ns -= known_ns;
	waits->rest_ready_ns = known_ns;
	waits->rest_blocked_ns = later_ns > LOOK_NS ? later_ns : 0;
	if (later_ns <= LOOK_NS && known_ns)
		waits->rest_ready_ns += (uint64_t)((double)later_ns * (double)known_ns /
						   ((double)cpu_ns + (double)known_ns));
}

static double late_share(const struct lane_walk *walk)
{
	double blocked_ns = 0, late_ns = 0;

	for (uint32_t i = 0; i < walk->data.wait_count; i++) {
		blocked_ns += (double)walk->data.waits[i].blocked_ns;
		late_ns += fmin(walk->waits.late_ns * walk->data.waits[i].blocked_count,
				(double)walk->data.waits[i].blocked_ns);
	}
	return blocked_ns > 0 ? late_ns / blocked_ns : 0;
}

int waits_are_seen(const struct read_process *process)
{
	return process->switch_source == SEGMENT_SWITCHES_RSEQ ||
	       process->switch_source == SEGMENT_SWITCHES_PERF;
}

void waits_find(struct lane_walk *walk)
{
	struct waits_of_lane *waits = &walk->waits;
	uint64_t ready_ns = unbooked_ready_ns(walk);
	int64_t rest_ns;

	*waits = (struct waits_of_lane){
		.are_seen = waits_are_seen(
			&walk->merge->run->processes[walk->process_index])};
	rest_ns = find_rest(walk);
	if (rest_ns > SHORTEST_REST_NS)
		split_rest(walk, waits, (uint64_t)rest_ns, &ready_ns);
	waits->late_ns = late_ns(walk, ready_ns);
	waits->all_late_ns = waits->late_ns > 0 ? ready_ns : 0;
	waits->late_share = late_share(walk);
}

void waits_take_late(const struct lane_walk *walk, uint64_t *ready_ns,
		     uint64_t *blocked_ns)
{
	uint64_t late_ns = (uint64_t)(walk->waits.late_share * (double)*blocked_ns);

	if (late_ns > *blocked_ns)
		late_ns = *blocked_ns;
	*blocked_ns -= late_ns;
	count_add(ready_ns, late_ns);
}

struct change_end waits_of_node(const struct lane_walk *walk, uint32_t node)
{
	const struct waits_of_lane *lane = &walk->waits;
	uint32_t number = walk->data.nodes[node].wait;
	struct change_end end = {.ready_ns = 0};
	double late_ns;

	if (number && number < walk->data.wait_count) {
		const struct segment_wait *wait = &walk->data.waits[number];

		end.ready_ns = wait->ready_ns;
		end.blocked_ns = wait->blocked_ns;
		late_ns = lane->late_ns * wait->blocked_count;
		if (wait->blocked_ns)
			end.late_share = late_ns / (double)wait->blocked_ns;
		if (end.late_share > 1)
			end.late_share = 1;
	}
	if (node == lane->rest_node && lane->rest_blocked_ns) {
		/* nothing of the rest was late */
		end.late_share *=
			(double)end.blocked_ns /
			((double)end.blocked_ns + (double)lane->rest_blocked_ns);
		count_add(&end.blocked_ns, lane->rest_blocked_ns);
	}
	if (node == lane->rest_node)
		count_add(&end.ready_ns, lane->rest_ready_ns);
	return end;
}

static void add_waits(struct lane_walk *walk)
{
	const struct waits_of_lane *lane = &walk->waits;

	for (uint32_t i = LANE_ROOT; i < walk->data.node_count; i++) {
		uint32_t number = walk->data.nodes[i].wait;
		struct change_end end;
		uint64_t late_ns, ready_ns;

		if (!number && i != lane->rest_node)
			continue;
		if (number && number >= walk->data.wait_count)
			walk->merge->damaged_count++;
		end = waits_of_node(walk, i);
		late_ns = (uint64_t)(end.late_share * (double)end.blocked_ns);
		if (late_ns > end.blocked_ns)
			late_ns = end.blocked_ns;
		ready_ns = end.ready_ns;
		count_add(&ready_ns, late_ns);
		add_to(walk, i, ready_ns, end.blocked_ns - late_ns,
		       late_error_ns(lane, end.blocked_ns, late_ns));
	}
}

void waits_add(struct lane_walk *walk)
{
	add_waits(walk);
	if (!walk->data.wait_count)
		return;
	count_add(&walk->merge->lost_wait_ns, walk->data.header.lost_wait_ns);
	count_add(&walk->merge->lost_wait_ns,
		  walk->data.waits[0].ready_ns + walk->data.waits[0].blocked_ns);
}

struct thread_split waits_of_thread(const struct segment_thread *thread, int64_t wall_ns)
{
	struct thread_split split = {-1, -1, -1};
	int64_t off_ns;

	if (!thread->cpu_ns)
		return split;
	split.cpu_ns = quantity_of_count(thread->cpu_ns);
	if (split.cpu_ns > wall_ns)
		split.cpu_ns = wall_ns;
	off_ns = wall_ns - split.cpu_ns;
	split.ready_ns = quantity_of_count(thread->ready_ns);
	if (split.ready_ns > off_ns)
		split.ready_ns = off_ns;
	split.blocked_ns = off_ns - split.ready_ns;
	return split;
}
