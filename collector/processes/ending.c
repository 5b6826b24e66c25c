/* SPDX-License-Identifier: MIT */
/*
 * Determines the ends of processes from what they wrote themselves, what the collector
 * saw, or their last trace. Must not wait for anybody.
 */
#include "collector/processes/ending.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"

/* Process indices ordered by (pid, start). */
struct order {
	int32_t pid;
	uint32_t process;
};

static int by_pid(const void *a, const void *b)
{
	const struct order *left = a, *right = b;

	return ORDER_BY_2(left, right, pid, process);
}

static struct order *order_by_pid(const struct read_run *run)
{
	struct order *order = xcalloc(run->process_count, sizeof(*order));

	for (size_t i = 0; i < run->process_count; i++)
		order[i] = (struct order){run->processes[i].pid, (uint32_t)i};
	qsort(order, run->process_count, sizeof(*order), by_pid);
	return order;
}

/* Orders process indices by their places in the spool. */
static int compare_places(const struct read_process *left, uint32_t file, uint32_t slot,
			  uint32_t tenant)
{
	int order = ORDER(left->file, file) ?: ORDER(left->slot, slot);

	return order ?: ORDER(left->tenant, tenant);
}

static int by_place(const void *a, const void *b, void *run)
{
	const struct read_process *processes = ((const struct read_run *)run)->processes;
	const struct read_process *left = &processes[*(const uint32_t *)a];
	const struct read_process *right = &processes[*(const uint32_t *)b];

	return compare_places(left, right->file, right->slot, right->tenant);
}

static uint32_t *order_by_place(const struct read_run *run)
{
	uint32_t *order = xcalloc(run->process_count, sizeof(*order));

	for (size_t i = 0; i < run->process_count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, run->process_count, sizeof(*order), by_place, (void *)run);
	return order;
}

/* Is b the image after a? exec keeps the pid and the start time and makes a new segment
 * file; or a new slot in the same file when exec failed and the old slot had been taken
 * by then. A forked child does not know its start time. */
static int is_next_image(const struct read_process *a, const struct read_process *b)
{
	return a->pid == b->pid &&
	       (a->file != b->file || a->state == SEGMENT_PROCESS_REPLACED) &&
	       (a->start_time == b->start_time || !a->start_time || !b->start_time) &&
	       a->state != SEGMENT_PROCESS_EXITING;
}

/* The process that forked the child, found by slot. The child's parent_pid may be that of
 * a subreaper if its parent ended quickly. */
static uint32_t find_forker(const struct read_run *run, const uint32_t *places,
			    uint32_t child)
{
	const struct read_process *process = &run->processes[child];
	size_t low = COUNT_BEFORE(run->process_count, i,
				  compare_places(&run->processes[places[i]],
						 process->file, process->forked_from_slot,
						 process->forked_from_tenant) < 0);

	if (!process->forked_from_slot || low == run->process_count ||
	    compare_places(&run->processes[places[low]], process->file,
			   process->forked_from_slot, process->forked_from_tenant) != 0)
		return ENDING_NONE;
	/* processes are sorted by time, so a parent comes first */
	return places[low] < child ? places[low] : ENDING_NONE;
}

/* The youngest process with this pid that began before `child`. */
static uint32_t find_parent(const struct read_run *run, const struct order *order,
			    uint32_t child)
{
	const struct read_process *process = &run->processes[child];
	struct order key = {process->parent_pid, child};
	size_t low = COUNT_BEFORE(run->process_count, i, by_pid(&order[i], &key) < 0);

	if (low == 0 || order[low - 1].pid != process->parent_pid)
		return ENDING_NONE;
	return order[low - 1].process;
}

static void link_images(const struct read_run *run, const struct order *order,
			const uint32_t *places, struct ending *endings)
{
	for (size_t i = 0; i < run->process_count; i++) {
		uint32_t index = order[i].process;

		endings[index].next_image = ENDING_NONE;
		endings[index].parent = find_forker(run, places, index);
		if (endings[index].parent == ENDING_NONE)
			endings[index].parent = find_parent(run, order, index);
		if (i + 1 < run->process_count &&
		    is_next_image(&run->processes[index],
				  &run->processes[order[i + 1].process]))
			endings[index].next_image = order[i + 1].process;
	}
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* A function that was called once, and is open, was still running after its calls: its
 * start plus their durations is a time at which the lane was alive. */
static uint64_t seen_in_lane(const struct read_lane_data *data, uint64_t seen)
{
	auto_free uint64_t *children = xcalloc(data->node_count, sizeof(*children));

	for (uint32_t i = 2; i < data->node_count; i++) {
		const struct segment_node *node = &data->nodes[i];

		if (node->parent < i)
			children[node->parent] += node->total_ticks;
	}
	for (uint32_t i = 0; i < data->frame_count; i++) {
		const struct segment_frame *frame = &data->frames[i];

		seen = later(seen, frame->start_ticks);
		if (frame->node < data->node_count &&
		    data->nodes[frame->node].call_count == 1)
			seen = later(seen, frame->start_ticks + children[frame->node]);
	}
	return seen;
}

/* The latest time in the process's slots. */
static uint64_t last_seen(const struct read_run *run, uint32_t index)
{
	const struct read_process *process = &run->processes[index];
	uint64_t seen = process->start_ticks;

	for (uint32_t i = 0; i < process->thread_count; i++) {
		seen = later(seen, process->threads[i].start_ticks);
		seen = later(seen, process->threads[i].end_ticks);
	}
	for (size_t i = 0; i < run->lane_count; i++) {
		struct read_lane_data data;

		if (run->lanes[i].process != index ||
		    read_lane(run, &run->lanes[i], &data))
			continue;
		seen = seen_in_lane(&data, seen);
		read_lane_done(&data);
	}
	return seen;
}

/* The last trace of a process whose end nobody saw. It was killed with the collector or
 * later, so it lived at the collector's last look. That time may be forged, so one in the
 * future does not count. */
static uint64_t last_trace(const struct read_run *run, const struct ticks *ticks,
			   uint32_t index)
{
	uint64_t attended = run->state.last_ticks;

	if (ticks->same_boot && attended > ticks_now(ticks))
		attended = 0;
	return later(last_seen(run, index), attended);
}

static int by_process(const void *a, const void *b)
{
	const struct ending_death *left = a, *right = b;

	return ORDER_BY_2(left, right, pid, start_ticks);
}

/* deaths: sorted by by_process(). */
static const struct ending_death *find_death(const struct ending_death *deaths,
					     size_t count,
					     const struct read_process *process)
{
	struct ending_death key = {.pid = process->pid,
				   .start_ticks = process->start_ticks};

	return count ? bsearch(&key, deaths, count, sizeof(*deaths), by_process) : NULL;
}

int ending_is_alive(const struct read_run *run, const struct ticks *ticks,
		    const struct read_process *process)
{
	uint64_t start_time = process->start_time;

	if (!ticks->same_boot)
		return 0;
	if (!start_time)
		start_time = liveness_start_time(
			process->pid, run->page.start_monotonic_ns,
			ticks_to_monotonic(ticks, process->start_ticks));
	if (!start_time && liveness_proc_tells())
		return 0;
	return liveness_check(process->pid, start_time);
}

static void decide(const struct read_run *run, const struct ticks *ticks, uint32_t index,
		   const struct ending_death *death, int may_be_alive,
		   struct ending *ending)
{
	const struct read_process *process = &run->processes[index];
	int is_exiting = process->state == SEGMENT_PROCESS_EXITING;

	/* the collector may attribute the death to an older image, which did not die */
	if (death && ending->next_image == ENDING_NONE)
		ending->status = death->status;
	if (is_exiting && !ending->status.is_known)
		ending->status = (struct wait_status){1, process->exit_code, 0};
	ending->is_complete = ending->next_image != ENDING_NONE ||
			      (ending->status.is_known && !ending->status.exit_signal);
	if (ending->next_image != ENDING_NONE)
		ending->end_ticks = run->processes[ending->next_image].start_ticks;
	else if (is_exiting)
		ending->end_ticks = process->end_ticks;
	else if (death)
		ending->end_ticks = ticks_from_monotonic(ticks, death->monotonic_ns);
	else if (process->state == SEGMENT_PROCESS_REPLACED && process->is_former)
		ending->end_ticks = process->end_ticks;
	else if (may_be_alive && ending_is_alive(run, ticks, process))
		ending->is_alive = 1;
	else
		ending->end_ticks = last_trace(run, ticks, index);
	ending->is_unseen = ending->next_image == ENDING_NONE && !is_exiting && !death &&
			    !ending->is_alive;
	if (ending->is_alive)
		ending->end_ticks = ticks_now(ticks);
	if (ending->end_ticks < process->start_ticks)
		ending->end_ticks = process->start_ticks;
}

struct ending *ending_find(const struct read_run *run, const struct ticks *ticks,
			   const struct ending_death *deaths, size_t death_count,
			   int may_be_alive)
{
	struct order *order = order_by_pid(run);
	uint32_t *places = order_by_place(run);
	struct ending *endings = xcalloc(run->process_count, sizeof(*endings));
	auto_free struct ending_death *sorted = xcalloc(death_count, sizeof(*sorted));

	link_images(run, order, places, endings);
	free(order);
	free(places);
	if (death_count)
		memcpy(sorted, deaths, death_count * sizeof(*sorted));
	qsort(sorted, death_count, sizeof(*sorted), by_process);
	for (uint32_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];

		decide(run, ticks, i, find_death(sorted, death_count, process),
		       may_be_alive, &endings[i]);
	}
	return endings;
}

uint32_t ending_first_process(const struct read_run *run)
{
	for (size_t i = 0; i < run->process_count; i++) {
		if (run->processes[i].pid == run->page.first_pid)
			return (uint32_t)i;
	}
	return ENDING_NONE;
}

uint32_t ending_last_image(const struct ending *endings, uint32_t process)
{
	while (process != ENDING_NONE && endings[process].next_image != ENDING_NONE)
		process = endings[process].next_image;
	return process;
}
