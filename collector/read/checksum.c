/* SPDX-License-Identifier: MIT */
/*
 * A number that tells whether a run has moved on since it was stored. Must not be taken
 * for more than that: equal numbers may be chance.
 */
#include "collector/read/parts.h"

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
	struct read_parts parts;

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
	read_parts_done(&parts);
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
