/* SPDX-License-Identifier: MIT */
/* What a lane has besides its tree: calls without frames, transfers, steps. */
#include "collector/follow/parts.h"

#include <string.h>

#include "common/base/array.h"
#include "common/segment_recording.h"
#include "common/segment_series.h"

static uint32_t refill(struct follow *follow, const struct follow_lane *lane,
		       enum array_number number, uint32_t known)
{
	const struct follow_file *file = &follow->files[lane->file];
	struct segment_array array;

	arrays_read(&lane->header, number, file->reader.slot_size, &array);
	return segment_reader_refill(&file->reader, lane->slot, number, &array, known,
				     &follow->room);
}

static uint32_t function_of(const struct follow *follow, const struct follow_lane *lane,
			    uint32_t mode)
{
	const struct follow_process *process = follow->processes[lane->process];

	return mode < process->mode_count && process->functions ? process->functions[mode]
								: MERGE_NO_FUNCTION;
}

/* A variant that calls another one for the same object, whose calls count. */
static int is_caller(const struct follow *follow, const struct follow_lane *lane,
		     uint32_t mode, uint32_t function)
{
	const struct follow_process *process = follow->processes[lane->process];

	return function < follow->caller_count &&
	       (follow->callers[function] >> process->variants[mode] & 1);
}

void follow_look_at_counts(struct follow *follow, struct follow_lane *lane)
{
	const struct segment_count *counts;
	uint32_t count = refill(follow, lane, ARRAY_COUNTS, lane->count_room), function;
	int64_t calls;

	lane->counts =
		follow_room(lane->counts, &lane->count_room, count, sizeof(uint64_t));
	counts = follow->room.entries;
	for (uint32_t i = 1; i < count; i++) {
		function = function_of(follow, lane, i);
		if (function == MERGE_NO_FUNCTION)
			continue;
		calls = follow_more(&lane->counts[i], counts[i].call_count);
		if (!is_caller(follow, lane, i, function))
			ledger_add(&follow->functions, function, FOLLOW_COUNTED_CALLS,
				   calls);
	}
}

/* The numbers that the targets of the process have in the run. */
static void look_at_targets(struct follow *follow, struct follow_process *process,
			    uint32_t target)
{
	const struct follow_file *file = &follow->files[process->file];
	struct segment_array array;
	struct segment_target *all;
	uint32_t count, known = process->target_count;

	if (target < known || target >= SEGMENT_TARGET_LIMIT)
		return;
	arrays_read(&process->header, ARRAY_TARGETS, file->reader.slot_size, &array);
	count = segment_reader_refill(&file->reader, process->slot, ARRAY_TARGETS, &array,
				      0, &follow->frames);
	all = follow->frames.entries;
	if (count <= known)
		return;
	process->targets = follow_room(process->targets, &process->target_room, count,
				       sizeof(*process->targets));
	for (uint32_t i = known ? known : 1; i < count; i++) {
		all[i].name[sizeof(all[i].name) - 1] = 0;
		process->targets[i] = transfers_target(
			&follow->transfers_of,
			all[i].kind < SEGMENT_TARGET_KINDS ? all[i].kind : 0,
			arena_copy(&follow->texts, all[i].name, strlen(all[i].name)));
	}
	process->target_count = count;
}

static uint32_t transfer_row(struct follow *follow, uint32_t path, uint32_t target)
{
	bool is_new;
	uint32_t row = map_number(&follow->transfer_map, (uint64_t)path << 32 | target, 0,
				  0, &is_new);

	if (is_new) {
		follow->transfer_rows = array_room(follow->transfer_rows, row,
						   sizeof(*follow->transfer_rows));
		follow->transfer_rows[row] = (struct follow_transfer){path, target};
		ledger_grow(&follow->transfers, row + 1);
	}
	return row;
}

static int is_written(const struct segment_transfer *from, enum libc_call_kind kind)
{
	return kind == LIBC_CALL_WRITE || (kind == LIBC_CALL_COPY && !from->is_source);
}

/* What a path's calls do, the key of its node tells. */
static void add_transfer(struct follow *follow, struct follow_lane *lane,
			 const struct segment_transfer *from, struct transfer_past *past)
{
	struct follow_process *process = follow->processes[lane->process];
	uint32_t path = follow_path_of(lane, from->node), target, row;
	enum libc_call_kind kind;
	int64_t bytes;

	if (!path || (from->call_count <= past->calls && from->bytes <= past->bytes))
		return;
	look_at_targets(follow, process, from->target);
	target =
		from->target < process->target_count ? process->targets[from->target] : 0;
	if (!target)
		target = transfers_target(&follow->transfers_of, 0, "");
	row = transfer_row(follow, path, target);
	kind = identify_libc_kind(lane->transfer_key);
	bytes = follow_more(&past->bytes, from->bytes);
	ledger_add(&follow->transfers, row, FOLLOW_TRANSFER_CALLS,
		   follow_more(&past->calls, from->call_count));
	if (kind != LIBC_CALL_IO && kind != LIBC_CALL_WAIT)
		ledger_add(&follow->transfers, row,
			   is_written(from, kind) ? FOLLOW_TRANSFER_WRITTEN_BYTES
						  : FOLLOW_TRANSFER_READ_BYTES,
			   bytes);
	if (!from->is_source)
		ledger_add(&follow->transfers, row, FOLLOW_TRANSFER_TICKS,
			   follow_more(&past->ticks, from->ticks));
}

void follow_look_at_transfers(struct follow *follow, struct follow_lane *lane)
{
	const struct follow_file *file = &follow->files[lane->file];
	uint32_t count = refill(follow, lane, ARRAY_TRANSFERS, lane->transfer_room);
	const struct segment_transfer *all = follow->room.entries;
	struct segment_array nodes;

	lane->transfers = follow_room(lane->transfers, &lane->transfer_room, count,
				      sizeof(*lane->transfers));
	arrays_read(&lane->header, ARRAY_NODES, file->reader.slot_size, &nodes);
	for (uint32_t i = 1; i < count; i++) {
		if (all[i].call_count <= lane->transfers[i].calls &&
		    all[i].bytes <= lane->transfers[i].bytes)
			continue;
		if (all[i].node >= lane->placed ||
		    segment_reader_bytes(
			    &file->reader, lane->slot,
			    nodes.offset +
				    (uint64_t)all[i].node * sizeof(struct segment_node),
			    &lane->transfer_key, sizeof(lane->transfer_key)) < 0)
			continue;
		add_transfer(follow, lane, &all[i], &lane->transfers[i]);
	}
}

static uint32_t series_row(struct follow *follow, const struct segment_series *from)
{
	uint64_t hash = modules_hash(from->name, strlen(from->name));

	for (uint64_t probe = 0;; probe++) {
		bool is_new;
		uint32_t row =
			map_number(&follow->series_map, hash, from->kind, probe, &is_new);
		struct follow_series *to;

		if (!is_new && strcmp(follow->series_rows[row].name, from->name) != 0)
			continue;
		if (!is_new)
			return row;
		follow->series_rows = array_room(follow->series_rows, row,
						 sizeof(*follow->series_rows));
		to = &follow->series_rows[row];
		memcpy(to->name, from->name, sizeof(to->name));
		to->kind = from->kind;
		ledger_grow(&follow->series, row + 1);
		return row;
	}
}

static double last_value(const struct segment_series *from)
{
	return from->value_count
		       ? from->window[(from->value_count - 1) % SEGMENT_SERIES_WINDOW]
				 .value
		       : 0;
}

static int64_t whole_ticks(double ticks)
{
	return ticks >= 0 && ticks < (double)TICKS_LONGEST_NS ? (int64_t)ticks : 0;
}

void follow_look_at_series(struct follow *follow, struct follow_lane *lane)
{
	uint32_t count = refill(follow, lane, ARRAY_SERIES, lane->series_room);
	struct segment_series *all = follow->room.entries;

	lane->series = follow_room(lane->series, &lane->series_room, count,
				   sizeof(*lane->series));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row;

		all[i].name[sizeof(all[i].name) - 1] = 0;
		if (all[i].count <= lane->series[i].marks || !*all[i].name)
			continue;
		row = series_row(follow, &all[i]);
		ledger_add(&follow->series, row, FOLLOW_SERIES_MARKS,
			   follow_more(&lane->series[i].marks, all[i].count));
		ledger_add(&follow->series, row, FOLLOW_SERIES_VALUES,
			   follow_more(&lane->series[i].values, all[i].value_count));
		follow->series_rows[row].last_value = last_value(&all[i]);
		if (all[i].kind != SEGMENT_SERIES_STEP)
			continue;
		ledger_add(&follow->series, row, FOLLOW_SERIES_TICKS,
			   whole_ticks(all[i].sum - lane->series[i].sum));
		if (all[i].sum > lane->series[i].sum)
			lane->series[i].sum = all[i].sum;
	}
}
