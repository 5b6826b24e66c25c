/* SPDX-License-Identifier: MIT */
/* Modes of all processes in one list. Must not look for a function more than once. */
#include "collector/account/account.h"

#include <stdlib.h>

#include "common/base/xalloc.h"

static enum segment_recording recording_of(struct merge *merge, uint32_t value)
{
	if (value == SEGMENT_RECORDING_EXACT || value == SEGMENT_RECORDING_OFF)
		return (enum segment_recording)value;
	if (value > SEGMENT_RECORDING_OFF)
		count_add(&merge->damaged_count, 1);
	return SEGMENT_RECORDING_COUNTED;
}

static uint32_t function_of(struct merge *merge, uint32_t process, uint64_t key)
{
	int is_function =
		key && !(key & SEGMENT_KEY_RETURN_ADDRESS) && !segment_key_is_region(key);

	if (is_function && merge->identify.function_count < merge->path_limit)
		return identify_function(&merge->identify, &merge->modules[process], key);
	count_add(&merge->damaged_count, 1);
	return MERGE_NO_FUNCTION;
}

static enum demangle_variant variant_of(struct merge *merge, uint32_t process,
					uint64_t key)
{
	return identify_variant(&merge->identify, &merge->modules[process], key);
}

/* Where its calls are made. Of code that begins with the function's hook (see
 * common/segment_recording.h) symbols tell whether it is the function's. */
static void find_place(struct merge *merge, struct merge_mode *mode,
		       const struct segment_mode *from)
{
	const struct identify_place *outermost;

	int is_copy = (from->site & SEGMENT_KEY_RETURN_ADDRESS) != 0;

	if (from->host && !is_copy && mode->host == mode->function)
		mode->host = MERGE_NO_FUNCTION;
	if (from->site <= SEGMENT_SITE_ANY ||
	    (mode->host != MERGE_NO_FUNCTION && !is_copy) ||
	    merge->identify.place_count >= merge->path_limit ||
	    merge->identify.function_count >= merge->path_limit)
		return;
	mode->place = identify_places(&merge->identify, &merge->modules[mode->process],
				      from->site | SEGMENT_KEY_RETURN_ADDRESS,
				      &mode->place_count);
	if (is_copy)
		return;
	outermost = &merge->identify.places[mode->place + mode->place_count - 1];
	mode->caller = outermost->function;
	mode->host_variant = outermost->variant;
}

static struct merge_mode mode_of(struct merge *merge, uint32_t process,
				 const struct segment_mode *from)
{
	struct merge_mode mode = {
		.process = process,
		.function = function_of(merge, process, from->key),
		.host = from->host ? function_of(merge, process, from->host)
				   : MERGE_NO_FUNCTION,
		.caller = MERGE_NO_FUNCTION,
		.is_part = from->host || from->site,
		.recording = recording_of(merge, from->recording),
		.least = recording_of(merge, from->least),
		.reason = from->reason <= SEGMENT_REASON_ASKED
				  ? (enum segment_reason)from->reason
				  : SEGMENT_REASON_BUDGET,
		.since_ticks = from->since_ticks,
		.change_count = from->change_count,
		.site_count = from->site_count,
		.early_site_count = from->early_site_count,
	};

	if (mode.least < mode.recording)
		mode.least = mode.recording;
	mode.variant = variant_of(merge, process, from->key);
	if (from->host)
		mode.host_variant = variant_of(merge, process, from->host);
	find_place(merge, &mode, from);
	return mode;
}

/* Variants of a function (merge/sites.c) are one. */
static void add_variant(struct merge_mode *own, const struct merge_mode *mode)
{
	if (own->recording < mode->recording)
		own->recording = mode->recording;
	if (own->least < mode->least)
		own->least = mode->least;
	if (own->since_ticks < mode->since_ticks)
		own->since_ticks = mode->since_ticks;
	count_add(&own->change_count, mode->change_count);
	count_add(&own->site_count, mode->site_count);
	count_add(&own->early_site_count, mode->early_site_count);
}

/* Parts of a function's calls are recorded as its own entry is, and variants as the
 * first. own_of: by function, all 0 before and after. What has no such entry counts as
 * one itself. */
static void find_own(struct merge *merge, uint32_t process, uint32_t *own_of)
{
	size_t first = merge->first_mode[process], end = merge->first_mode[process + 1];

	for (size_t i = end; i-- > first;) {
		const struct merge_mode *mode = &merge->modes[i];

		if (mode->function != MERGE_NO_FUNCTION && !mode->is_part)
			own_of[mode->function] = (uint32_t)i;
	}
	for (size_t i = first; i < end; i++) {
		struct merge_mode *mode = &merge->modes[i];

		mode->own = (uint32_t)i;
		if (mode->function == MERGE_NO_FUNCTION || mode->is_part ||
		    own_of[mode->function] == i)
			continue;
		mode->own = own_of[mode->function];
		add_variant(&merge->modes[mode->own], mode);
	}
	for (size_t i = first; i < end; i++) {
		struct merge_mode *mode = &merge->modes[i];

		if (!mode->is_part || mode->function == MERGE_NO_FUNCTION)
			continue;
		if (own_of[mode->function])
			mode->own = own_of[mode->function];
		else
			mode->host = MERGE_NO_FUNCTION;
		mode->least = merge->modes[mode->own].least;
	}
	for (size_t i = first; i < end; i++)
		if (merge->modes[i].function != MERGE_NO_FUNCTION)
			own_of[merge->modes[i].function] = 0;
}

/* Of those that are off nobody wants to know. */
static void list_counted(struct merge *merge)
{
	for (size_t i = 0; i < merge->mode_count; i++) {
		const struct merge_mode *mode = &merge->modes[i];

		if (mode->function == MERGE_NO_FUNCTION ||
		    mode->least == SEGMENT_RECORDING_EXACT ||
		    mode->least == SEGMENT_RECORDING_OFF ||
		    map_get(&merge->mode_map, mode->process, mode->function, 0) !=
			    MAP_NONE)
			continue;
		map_put(&merge->mode_map, mode->process, mode->function, 0, mode->least);
	}
}

static void wish_names(struct merge *merge, uint32_t process)
{
	const struct read_process *from = &merge->run->processes[process];
	struct module_list *modules = &merge->modules[process];

	for (uint32_t i = 1; !from->is_borrower && i < from->mode_count; i++) {
		const struct segment_mode *mode = &from->modes[i];

		if (!(mode->key & SEGMENT_KEY_RETURN_ADDRESS))
			identify_wish(&merge->identify, modules, mode->key);
		if (mode->site > SEGMENT_SITE_ANY)
			identify_wish(&merge->identify, modules,
				      mode->site | SEGMENT_KEY_RETURN_ADDRESS);
	}
}

void modes_list(struct merge *merge)
{
	const struct read_run *run = merge->run;
	auto_free uint32_t *own_of = NULL;

	merge->first_mode = pool_array(&merge->pool, run->process_count + 1,
				       sizeof(*merge->first_mode));
	for (uint32_t i = 0; i < run->process_count; i++) {
		const struct read_process *process = &run->processes[i];
		uint32_t count = process->is_borrower ? 0 : process->mode_count;

		merge->first_mode[i] = merge->mode_count;
		wish_names(merge, i);
		for (uint32_t number = 0; number < count; number++) {
			POOL_ADD(&merge->pool, merge->modes, merge->mode_count) =
				number ? mode_of(merge, i, &process->modes[number])
				       : (struct merge_mode){.process = i,
							     .function =
								     MERGE_NO_FUNCTION,
							     .host = MERGE_NO_FUNCTION,
							     .caller = MERGE_NO_FUNCTION};
		}
	}
	merge->first_mode[run->process_count] = merge->mode_count;
	own_of = xcalloc(merge->identify.function_count + 1, sizeof(*own_of));
	for (uint32_t i = 0; i < run->process_count; i++)
		find_own(merge, i, own_of);
	list_counted(merge);
}

struct merge_mode *modes_find(const struct merge *merge, uint32_t process,
			      uint32_t number)
{
	size_t first = merge->first_mode[process], end = merge->first_mode[process + 1];

	return number && number < end - first ? &merge->modes[first + number] : NULL;
}
