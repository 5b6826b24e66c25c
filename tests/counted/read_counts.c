/* SPDX-License-Identifier: MIT */
/*
 * The calls that segment files hold, with and without a frame. usage: read_counts
 * [quiet] FILE... quiet: all processes have ended by themselves.
 * Prints for each function of all processes together
 *     function ADDRESS MODULE CALLS COUNTED IN-WINDOWS LEAST-DETAIL SITES EARLY CHANGES
 * and, of each file, what does not hold (tests/stress/check.h). Exit status 1: something
 * does not.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/arrays.h"
#include "common/segment_recording.h"
#include "tests/stress/check.h"

struct function {
	uint64_t key, calls, counted;
	uint32_t least, sites, early_sites, changes;
};

static struct function *functions;
static uint32_t function_count;

static struct function *find(uint64_t key)
{
	for (uint32_t i = 0; i < function_count; i++) {
		if (functions[i].key == key)
			return &functions[i];
	}
	functions = realloc(functions, (function_count + 1) * sizeof(*functions));
	if (!functions)
		abort();
	functions[function_count] = (struct function){.key = key};
	return &functions[function_count++];
}

/* The same object at the same place has another number in each process. */
static uint64_t key_of(uint64_t key)
{
	return key & SEGMENT_KEY_ADDRESS_MASK;
}

static void add_lane(const struct segment_process *process,
		     const struct segment_lane *lane)
{
	const struct segment_node *nodes = arrays_entries(lane, &lane->nodes);
	const struct segment_count *counts = arrays_entries(lane, &lane->counts);
	const struct segment_mode *modes = arrays_entries(process, &process->modes);

	for (uint32_t i = 2; i < lane->nodes.count; i++) {
		if (!(nodes[i].key & SEGMENT_KEY_RETURN_ADDRESS))
			find(key_of(nodes[i].key))->calls += nodes[i].call_count;
	}
	for (uint32_t i = 1; i < lane->counts.count && i < process->modes.count; i++) {
		struct function *function = find(key_of(modes[i].key));

		function->calls += counts[i].call_count;
		function->counted += counts[i].call_count;
	}
	printf("lane repaired %" PRIu64 " orphans %" PRIu64 " folded %" PRIu64 "\n",
	       lane->repaired_frame_count, lane->orphan_exit_count,
	       lane->folded_call_count);
}

static void add_process(const struct segment_process *process)
{
	const struct segment_mode *modes = arrays_entries(process, &process->modes);

	for (uint32_t i = 1; i < process->modes.count; i++) {
		struct function *function = find(key_of(modes[i].key));

		if (modes[i].least > function->least)
			function->least = modes[i].least;
		function->sites += modes[i].site_count;
		function->early_sites += modes[i].early_site_count;
		function->changes += modes[i].change_count;
	}
	printf("process %d functions %u late %" PRIu64 "\n", process->pid,
	       process->modes.count ? process->modes.count - 1 : 0,
	       process->counters[SEGMENT_COUNTER_LATE_EVENTS]);
}

static int read_file(const char *path, int is_quiet)
{
	struct check check;
	int failures;

	if (check_open(&check, path, is_quiet) < 0) {
		fprintf(stderr, "cannot read %s\n", path);
		return 1;
	}
	check_file(&check);
	for (uint32_t slot = 1; slot < check.slot_count; slot++) {
		const struct segment_slot *entry = &check.file->slots[slot];

		if (entry->kind == SEGMENT_SLOT_PROCESS)
			add_process(check_process_at(&check, slot));
		else if (entry->kind == SEGMENT_SLOT_LANE)
			add_lane(check_process_at(&check, entry->process_slot),
				 check_lane_at(&check, slot));
	}
	failures = check.failure_count;
	check_close(&check);
	return failures != 0;
}

int main(int argument_count, char **arguments)
{
	int failed = 0;

	int is_quiet = argument_count > 1 && !strcmp(arguments[1], "quiet");

	for (int i = 1 + is_quiet; i < argument_count; i++)
		failed |= read_file(arguments[i], is_quiet);
	for (uint32_t i = 0; i < function_count; i++) {
		const struct function *function = &functions[i];

		printf("function %" PRIx64 " %" PRIu64 " %" PRIu64 " %u %u %u %u\n",
		       function->key, function->calls, function->counted, function->least,
		       function->sites, function->early_sites, function->changes);
	}
	return failed;
}
