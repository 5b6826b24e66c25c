/* SPDX-License-Identifier: MIT */
/* Modes of all processes in one list. Must not look for a function more than once. */
#include "collector/account/modes.h"

#include "common/base/array.h"
#include "common/base/xalloc.h"

static enum segment_recording recording_of(struct merge *merge, uint32_t value)
{
	if (value <= SEGMENT_RECORDING_OFF)
		return (enum segment_recording)value;
	merge_add(&merge->damaged_count, 1);
	return SEGMENT_RECORDING_COUNTED;
}

static uint32_t function_of(struct merge *merge, uint32_t process, uint64_t key)
{
	int is_function =
		key && !(key & SEGMENT_KEY_RETURN_ADDRESS) && !segment_key_is_region(key);

	if (is_function && merge->identify.function_count < merge->path_limit)
		return identify_function(&merge->identify, &merge->modules[process], key);
	merge_add(&merge->damaged_count, 1);
	return MERGE_NO_FUNCTION;
}

static struct merge_mode mode_of(struct merge *merge, uint32_t process,
				 const struct segment_mode *from)
{
	struct merge_mode mode = {
		.process = process,
		.function = function_of(merge, process, from->key),
		.recording = recording_of(merge, from->recording),
		.least = recording_of(merge, from->least),
		.reason = from->reason <= SEGMENT_REASON_ASKED
				  ? (enum segment_reason)from->reason
				  : SEGMENT_REASON_BUDGET,
		.since_ticks = from->since_ticks,
		.change_count = from->change_count,
		.site_count = from->site_count,
		.early_site_count = from->early_site_count,
		.code_bytes = from->code_bytes,
	};

	if (mode.least < mode.recording)
		mode.least = mode.recording;
	return mode;
}

void modes_list(struct merge *merge)
{
	const struct read_run *run = merge->run;

	merge->first_mode = xcalloc(run->process_count + 1, sizeof(*merge->first_mode));
	for (uint32_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		uint32_t count = process->is_borrower ? 0 : process->mode_count;

		merge->first_mode[i] = merge->mode_count;
		for (uint32_t number = 0; number < count; number++) {
			merge->modes = array_room(merge->modes, merge->mode_count,
						  sizeof(*merge->modes));
			merge->modes[merge->mode_count++] =
				number ? mode_of(merge, i, &process->modes[number])
				       : (struct merge_mode){.process = i,
							     .function =
								     MERGE_NO_FUNCTION};
		}
	}
	merge->first_mode[run->process_count] = merge->mode_count;
}

struct merge_mode *modes_find(const struct merge *merge, uint32_t process,
			      uint32_t number)
{
	size_t first = merge->first_mode[process], end = merge->first_mode[process + 1];

	return number && number < end - first ? &merge->modes[first + number] : NULL;
}
