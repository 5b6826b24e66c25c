/* SPDX-License-Identifier: MIT */
/* Adds targets and rows, each found by its key. */
#include "collector/merge/transfers.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collector/merge/add.h"
#include "common/base/array.h"
#include "common/quantities.h"

uint32_t transfers_target(struct transfers *transfers, uint32_t kind, const char *name)
{
	uint32_t text, number;
	bool is_new;

	if (!transfers->target_count)
		ARRAY_ADD(transfers->targets, transfers->target_count) =
			(struct transfers_target){SEGMENT_TARGET_UNKNOWN, "[not known]"};
	if (!kind)
		return 0;
	text = intern_text(&transfers->names, name, NULL);
	number = map_number(&transfers->target_map, text, kind, 0, &is_new);
	if (is_new)
		ARRAY_ADD(transfers->targets, transfers->target_count) =
			(struct transfers_target){kind,
						  intern_name(&transfers->names, text)};
	return number + 1;
}

static struct transfers_row *row_at(struct transfers *transfers, uint32_t process,
				    uint32_t path, uint32_t target, uint32_t is_source)
{
	uint64_t both = (uint64_t)target << 1 | (is_source != 0);
	bool is_new;
	uint32_t number = map_number(&transfers->row_map, process, path, both, &is_new);

	if (is_new)
		ARRAY_ADD(transfers->rows, transfers->row_count) =
			(struct transfers_row){.process = process,
					       .path = path,
					       .target = target,
					       .is_source = is_source != 0};
	return &transfers->rows[number];
}

void transfers_add(struct transfers *transfers, uint32_t process, uint32_t path,
		   uint32_t target, const struct segment_transfer *from, int64_t total_ns)
{
	struct transfers_row *row =
		row_at(transfers, process, path, target, from->is_source);

	merge_add(&row->call_count, from->call_count);
	merge_add(&row->bytes, from->bytes);
	merge_add(&row->small_count, from->small_count);
	merge_add(&row->sequential_count, from->sequential_count);
	merge_add(&row->failed_count, from->failed_count);
	quantity_add(&row->total_ns, total_ns);
	merge_raise(&row->largest_bytes, from->largest_bytes);
}

void transfers_see(struct transfers *transfers, uint32_t process, uint64_t read_bytes,
		   uint64_t write_bytes)
{
	while (transfers->seen_count <= process)
		ARRAY_ADD(transfers->seen, transfers->seen_count) =
			(struct transfers_seen){0, 0};
	merge_add(&transfers->seen[process].read_bytes, read_bytes);
	merge_add(&transfers->seen[process].write_bytes, write_bytes);
}

void transfers_lose(struct transfers *transfers, uint64_t count, uint64_t bytes)
{
	merge_add(&transfers->lost_count, count);
	merge_add(&transfers->lost_bytes, bytes);
}

void transfers_done(struct transfers *transfers)
{
	free(transfers->targets);
	free(transfers->rows);
	free(transfers->seen);
	intern_free(&transfers->names);
	map_done(&transfers->target_map);
	map_done(&transfers->row_map);
	*transfers = (struct transfers){.row_count = 0};
}
