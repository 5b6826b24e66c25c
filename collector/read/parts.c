/* SPDX-License-Identifier: MIT */
/*
 * The parts of a run that are only read for a time: lanes one by one, and processes'
 * sites file by file. Also a checksum over both that tells whether a run has changed
 * since it was stored. Must not trust a count or an offset in the file; equal checksums
 * may be chance.
 */
#include "collector/read/read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector/read/segment_file.h"
#include "common/base/xalloc.h"

static int by_file(const void *a, const void *b, void *data)
{
	const struct read_process *processes = data;
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return ORDER(processes[left].file, processes[right].file) ?: ORDER(left, right);
}

void read_parts_begin(struct read_parts *ret, const struct read_run *run)
{
	*ret = (struct read_parts){
		.run = run, .order = xcalloc(run->process_count, sizeof(*ret->order))};
	for (uint32_t i = 0; i < run->process_count; i++)
		if (!run->processes[i].is_borrower)
			ret->order[ret->count++] = i;
	qsort_r(ret->order, ret->count, sizeof(*ret->order), by_file, run->processes);
}

static void give_back(struct read_parts *parts)
{
	for (size_t i = parts->first; i < parts->end; i++)
		read_process_forget(&parts->run->processes[parts->order[i]]);
	parts->first = parts->end;
}

void read_parts_of(struct read_parts *parts, uint32_t file)
{
	const struct read_run *run = parts->run;
	struct segment_reader reader;

	give_back(parts);
	while (parts->end < parts->count &&
	       run->processes[parts->order[parts->end]].file <= file)
		parts->end++;
	if (parts->first == parts->end || read_open_file(run, file, &reader) < 0)
		return;
	for (size_t i = parts->first; i < parts->end; i++)
		read_process_parts(&run->processes[parts->order[i]], &reader,
				   read_node_limit(&run->page));
	segment_reader_close(&reader);
}

void read_parts_done(struct read_parts *parts)
{
	give_back(parts);
	free(parts->order);
}

/* Appends the open frames of each fiber; sets its depth to the number really there. */
static void read_fiber_frames(const struct segment_reader *reader, uint32_t slot,
			      const struct segment_array *all, struct read_lane_data *ret)
{
	uint64_t left = all->capacity; /* stacks share no frames */

	for (uint32_t i = 0; i < ret->fiber_count; i++) {
		struct segment_fiber *fiber = &ret->fibers[i];
		uint64_t end = (uint64_t)fiber->first_frame + fiber->depth;
		struct segment_array array = *all;
		struct segment_frame *frames;
		uint32_t count = 0;

		if (!fiber->in_use || !fiber->depth || end > all->capacity ||
		    fiber->depth > left) {
			fiber->depth = 0;
			continue;
		}
		left -= fiber->depth;
		array.first = fiber->first_frame;
		array.count = (uint32_t)end;
		frames = segment_reader_array(reader, slot, ARRAY_FRAMES, &array, &count);
		fiber->depth = count;
		if (count) {
			ret->frames = xreallocarray(ret->frames,
						    (size_t)ret->frame_count + count,
						    sizeof(*frames));
			memcpy(ret->frames + ret->frame_count, frames,
			       count * sizeof(*frames));
			ret->frame_count += count;
		}
		free(frames);
	}
}

/* Reads the frames first: a frame's node is published before the frame is open. */
static int read_lane_arrays(const struct segment_reader *reader, uint32_t slot,
			    uint32_t node_limit, struct read_lane_data *ret)
{
	struct segment_array frames, nodes;
	struct segment_lane now;

	arrays_read(&ret->header, ARRAY_FRAMES, reader->slot_size, &frames);
	ret->frames = segment_reader_array(reader, slot, ARRAY_FRAMES, &frames,
					   &ret->frame_count);
	ret->fibers = segment_reader_entries(reader, slot, ARRAY_FIBERS, &ret->header,
					     &ret->fiber_count);
	read_fiber_frames(reader, slot, &frames, ret);
	if (segment_reader_bytes(reader, slot, 0, &now, sizeof(now)) < 0)
		return -EINVAL;
	arrays_read(&now, ARRAY_NODES, reader->slot_size, &nodes);
	if (nodes.count > node_limit) {
		ret->cut_node_count = nodes.count - node_limit;
		nodes.count = node_limit;
	}
	ret->nodes =
		segment_reader_array(reader, slot, ARRAY_NODES, &nodes, &ret->node_count);
#define READ(list, count, number, type)                                                  \
	ret->list =                                                                      \
		segment_reader_entries(reader, slot, ARRAY_##number, &now, &ret->count);
	READ_LANE_ARRAYS(READ)
	return 0;
}

int read_lane(const struct read_run *run, const struct read_lane *lane,
	      struct read_lane_data *ret)
{
	struct segment_reader reader;
	int result;

	*ret = (struct read_lane_data){.frame_count = 0};
	result = read_open_file(run, lane->file, &reader);
	if (result < 0)
		return -EINVAL;
	result = segment_reader_bytes(&reader, lane->slot, 0, &ret->header,
				      sizeof(ret->header));
	if (result == 0 && ret->header.magic != SEGMENT_MAGIC_LANE)
		result = -EINVAL;
	if (result == 0)
		result = read_lane_arrays(&reader, lane->slot,
					  read_node_limit(&run->page) + 2, ret);
	segment_reader_close(&reader);
	if (result < 0)
		read_lane_done(ret);
	return result;
}

void read_lane_done(struct read_lane_data *data)
{
	free(data->frames);
	free(data->fibers);
	free(data->nodes);
#define FREE(list, count, number, type) free(data->list);
	READ_LANE_ARRAYS(FREE)
	*data = (struct read_lane_data){.frame_count = 0};
}

static uint64_t add(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * 0x100000001b3ull + (sum >> 47);
}

static uint64_t process_checksum(uint64_t sum, const struct read_process *process)
{
	sum = add(sum, (uint64_t)(uint32_t)process->pid);
	sum = add(sum, process->state);
	sum = add(sum, (uint64_t)(uint32_t)process->exit_code);
	for (int i = 0; i < SEGMENT_PROCESS_COUNTERS; i++)
		sum = add(sum, process->counters[i]);
	return sum;
}

static uint64_t sites_checksum(uint64_t sum, const struct read_run *run)
{
	ended_by(read_parts_done) struct read_parts parts;

	read_parts_begin(&parts, run);
	for (uint32_t file = 0; file < run->file_count; file++) {
		read_parts_of(&parts, file);
		for (size_t i = parts.first; i < parts.end; i++) {
			const struct read_process *process =
				&run->processes[parts.order[i]];

			for (uint32_t site = 0; site < process->site_count; site++) {
				sum = add(sum, process->sites[site].alloc_count);
				sum = add(sum, process->sites[site].free_count);
			}
		}
	}
	return sum;
}

uint64_t read_run_checksum(const struct rundir *rundir)
{
	struct read_run run;
	char error[512];
	uint64_t sum = 0xcbf29ce484222325ull;

	if (read_run_open_files(&run, rundir, error, sizeof(error)) < 0)
		return 0;
	sum = add(sum, run.ended->end);
	for (size_t i = 0; i < run.process_count; i++)
		sum = process_checksum(sum, &run.processes[i]);
	sum = sites_checksum(sum, &run);
	for (size_t i = 0; i < run.lane_count; i++) {
		struct read_lane_data data;

		if (read_lane(&run, &run.lanes[i], &data) < 0)
			continue;
		for (uint32_t node = 1; node < data.node_count; node++)
			sum = add(sum, data.nodes[node].call_count);
		for (uint32_t series = 0; series < data.series_count; series++)
			sum = add(sum, data.series[series].count);
		for (uint32_t number = 1; number < data.count_count; number++)
			sum = add(sum, data.counts[number].call_count);
		sum = add(sum, data.header.orphan_exit_count);
		read_lane_done(&data);
	}
	read_run_close(&run);
	return sum ? sum : 1;
}
