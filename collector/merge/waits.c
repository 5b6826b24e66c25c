/* SPDX-License-Identifier: MIT */
/* The books of what threads waited for a CPU, or slept. */
#include "collector/merge/waits.h"

#include "common/libc/records.h"

/* What a thread computed is asked for at a switch, so a shorter rest may be that. */
#define SHORTEST_REST_NS 1000000

/* Of all threads of the lane, as far as the kernel has told. */
static uint64_t threads_ready_ns(const struct lane_walk *walk)
{
	const struct read_run *run = walk->merge->run;
	const struct read_process *process = &run->processes[walk->process_index];
	uint64_t sum = 0;

	for (uint32_t i = 0; i < process->thread_count; i++)
		if (process->threads[i].lane_slot == run->lanes[walk->lane].slot)
			merge_add(&sum, process->threads[i].ready_ns);
	return sum;
}

/* How much longer the lane's sleeps were than sleep, each. */
static double late_ns(const struct lane_walk *walk)
{
	uint64_t known_ns = 0, sleep_count = 0, ready_ns = threads_ready_ns(walk);

	for (uint32_t i = 0; i < walk->data.wait_count; i++) {
		merge_add(&known_ns, walk->data.waits[i].ready_ns);
		merge_add(&sleep_count, walk->data.waits[i].blocked_count);
	}
	return ready_ns > known_ns && sleep_count
		       ? (double)(ready_ns - known_ns) / (double)sleep_count
		       : 0;
}

static void add_to(struct lane_walk *walk, uint32_t node, uint64_t ready_ns,
		   uint64_t blocked_ns)
{
	struct merge_cell *cell;

	if (node <= LANE_ROOT || node >= walk->data.node_count ||
	    !walk->nodes[node].is_placed || !walk->nodes[node].path)
		return; /* outside of all functions: the thread alone has it */
	cell = merge_touch(walk->merge, walk->nodes[node].path);
	quantity_add(&cell->self_ready_ns, quantity_of_count(ready_ns));
	quantity_add(&cell->self_blocked_ns, quantity_of_count(blocked_ns));
}

static void add_waits(struct lane_walk *walk)
{
	double late = late_ns(walk);

	for (uint32_t i = LANE_ROOT; i < walk->data.node_count; i++) {
		uint32_t number = walk->data.nodes[i].wait;
		const struct segment_wait *wait;
		uint64_t ready_ns, part;

		if (!number)
			continue;
		if (number >= walk->data.wait_count) {
			walk->merge->damaged_count++;
			continue;
		}
		wait = &walk->data.waits[number];
		part = (uint64_t)(late * wait->blocked_count);
		if (part > wait->blocked_ns)
			part = wait->blocked_ns;
		ready_ns = wait->ready_ns;
		merge_add(&ready_ns, part);
		add_to(walk, i, ready_ns, wait->blocked_ns - part);
	}
}

static uint32_t innermost_open(const struct lane_walk *walk)
{
	uint32_t depth = walk->data.frame_count;

	for (uint32_t i = 0; i < walk->data.fiber_count; i++)
		depth -= walk->data.fibers[i].depth;
	return depth ? walk->data.frames[depth - 1].node : 0;
}

/* A thread that slept when its process ended, which it was never asked about. */
static void add_rest(struct lane_walk *walk, const struct merge_end *end)
{
	const struct read_run *run = walk->merge->run;
	const struct read_process *process = &run->processes[walk->process_index];
	uint32_t last = walk->data.header.thread;
	const struct segment_thread *thread;
	int64_t wall_ns, rest_ns;

	if (!walk->data.header.in_use || last >= process->thread_count)
		return;
	thread = &process->threads[last];
	if (thread->end_ticks || !thread->cpu_ns || end->end_ticks < thread->start_ticks)
		return;
	wall_ns = ticks_duration_ns(walk->merge->ticks,
				    (double)(end->end_ticks - thread->start_ticks));
	rest_ns = wall_ns - quantity_of_count(thread->cpu_ns) -
		  quantity_of_count(thread->off_ns);
	if (rest_ns > SHORTEST_REST_NS)
		add_to(walk, innermost_open(walk), 0, (uint64_t)rest_ns);
}

void waits_add(struct lane_walk *walk, const struct merge_end *end)
{
	add_rest(walk, end);
	if (!walk->data.wait_count)
		return;
	add_waits(walk);
	merge_add(&walk->merge->lost_wait_ns, walk->data.header.lost_wait_ns);
	merge_add(&walk->merge->lost_wait_ns,
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
