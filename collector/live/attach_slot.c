/* SPDX-License-Identifier: MIT */
/* Looking through a segment file. Must not believe what it says unchecked. */
#include "collector/live/attach_slot.h"

#include "collector/read/segment_file.h"

static uint32_t find_slot(const struct segment_reader *reader, int pid)
{
	uint64_t start_ticks = 0;
	uint32_t found = 0;

	for (uint32_t i = 1; i < reader->slot_count; i++) {
		struct segment_process process;
		struct segment_slot slot;

		if (segment_reader_slot(reader, i, &slot) < 0 ||
		    slot.kind != SEGMENT_SLOT_PROCESS || slot.pid != pid ||
		    segment_reader_bytes(reader, i, 0, &process, sizeof(process)) < 0 ||
		    process.magic != SEGMENT_MAGIC_PROCESS ||
		    process.start_ticks < start_ticks)
			continue;
		start_ticks = process.start_ticks;
		found = i;
	}
	return found;
}

int attach_slot(const struct attach_files *files, uint32_t *ret)
{
	struct segment_reader reader;
	int result = segment_reader_open(&reader, files->directory_fd, files->name,
					 files->token);

	if (result < 0)
		return result;
	*ret = find_slot(&reader, files->inner_pid);
	segment_reader_close(&reader);
	return 0;
}
