/* SPDX-License-Identifier: MIT */
/*
 * Names and sums of the trust counters, and the words of the notes. Must not leave out
 * a name because it is zero.
 */
#include "collector/ingest/ingest.h"

#include "common/libc/calls.h"
#include "common/selection.h"
#include "common/trust.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/xalloc.h"
#include "collector/symbols/symbols.h"
#include "collector/symbols/symbol.h"

static const struct {
	const char *name;
	enum segment_process_counter counter;
} counters[] = {
	{"dropped_allocations", SEGMENT_COUNTER_DROPPED_ALLOCATIONS},
	{"unknown_frees", SEGMENT_COUNTER_UNKNOWN_FREES},
	{"lost_frees", SEGMENT_COUNTER_LOST_FREES},
	{"inherited_frees", SEGMENT_COUNTER_INHERITED_FREES},
	{"inherited_frames", SEGMENT_COUNTER_INHERITED_FRAMES},
	{"late_events", SEGMENT_COUNTER_LATE_EVENTS},
	{"early_bytes", SEGMENT_COUNTER_EARLY_BYTES},
	{"unlisted_threads", SEGMENT_COUNTER_UNLISTED_THREADS},
	{"unloaded_modules", SEGMENT_COUNTER_UNLOADED_MODULES},
	{"patched_sites", SEGMENT_COUNTER_PATCHED_SITES},
	{"early_sites", SEGMENT_COUNTER_EARLY_SITES},
	{"mode_changes", SEGMENT_COUNTER_MODE_CHANGES},
	{"pauses", SEGMENT_COUNTER_PAUSES},
	{"late_objects", SEGMENT_COUNTER_LATE_OBJECTS},
	{"untold_waits", SEGMENT_COUNTER_UNTOLD_WAITS},
	{"unasked_switches", SEGMENT_COUNTER_UNASKED_SWITCHES},
	{"unknown_levels", SEGMENT_COUNTER_UNKNOWN_LEVELS},
};

static const struct {
	uint32_t note;
	const char *name;
} notes[] = {
	{SEGMENT_NOTE_NO_COLLECTOR, "note_no_collector"},
	{SEGMENT_NOTE_SUBREAPER, "note_subreaper"},
	{SEGMENT_NOTE_NO_SPACE, "note_no_space"},
	{SEGMENT_NOTE_NO_SHADOW, "note_no_shadow"},
	{SEGMENT_NOTE_SETTING_IGNORED, "note_setting_ignored"},
	{SEGMENT_NOTE_SLOTS_EXHAUSTED, "note_slots_exhausted"},
	{SEGMENT_NOTE_NO_ADDRESSES, "note_no_addresses"},
	{SEGMENT_NOTE_OWN_ALLOCATOR, "note_own_allocator"},
	{SEGMENT_NOTE_OTHER_NEW, "note_other_new"},
	{SEGMENT_NOTE_OWN_HOOKS, "note_own_hooks"},
	{SEGMENT_NOTE_SEALED, "note_sealed"},
	{SEGMENT_NOTE_NO_CLOCK, "note_no_clock"},
	{SEGMENT_NOTE_TIMER_ENDED, "note_timer_ended"},
	{SEGMENT_NOTE_NO_FUNCTION, "note_no_function"},
	{SEGMENT_NOTE_GAVE_UP_PRIVILEGES, "note_gave_up_privileges"},
	{SEGMENT_NOTE_NOT_APART, "note_not_apart"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct ingest_fact *add(struct ingest *ingest, const char *name, uint64_t value)
{
	struct ingest_fact *fact;

	fact = &ARRAY_ADD(ingest->facts, ingest->fact_count);
	*fact = (struct ingest_fact){.name = name, .value = value};
	return fact;
}

static uint64_t sum(const struct ingest *ingest, enum segment_process_counter counter)
{
	uint64_t total = 0;

	for (size_t i = 0; i < ingest->run.process_count; i++)
		count_add(&total, ingest->run.processes[i].counters[counter]);
	return total;
}

static uint64_t named_so(const struct merge *merge, enum identify_naming naming)
{
	uint64_t count = 0;

	for (size_t i = 0; i < merge->identify.function_count; i++)
		count += merge->functions[i].is_used &&
			 merge->identify.functions[i].naming == naming;
	return count;
}

/* Counts functions with hooks that were recorded in this way. */
static uint64_t recorded_so(const struct merge *merge, enum segment_recording recording)
{
	uint64_t count = 0;

	for (size_t i = 0; i < merge->function_count; i++)
		count += merge->functions[i].is_instrumented &&
			 merge->functions[i].recording == recording;
	return count;
}

static int is_off(const struct merge_mode *mode)
{
	return mode->least == SEGMENT_RECORDING_OFF;
}

static int is_rewritten(const struct merge_mode *mode)
{
	return mode->site_count != 0;
}

/* Counts functions of which is_so() holds in some process, each once. They need not be in
 * the tree. */
static uint64_t functions_that(const struct merge *merge,
			       int (*is_so)(const struct merge_mode *mode))
{
	auto_free uint8_t *seen = xcalloc(merge->function_count + 1, sizeof(*seen));
	uint64_t count = 0;

	for (size_t i = 0; i < merge->mode_count; i++) {
		const struct merge_mode *mode = &merge->modes[i];

		if (is_so(mode) && mode->function < merge->function_count &&
		    !seen[mode->function]++)
			count++;
	}
	return count;
}

/* Adds the rules that fit nothing in any process; they may be mistyped. */
static void add_rules(struct ingest *ingest)
{
	struct ingest_fact *fact = add(ingest, "rules_without_functions", 0);
	const struct segment_run *page = &ingest->run.page;
	struct selection selection;
	uint64_t fitted = 0;
	size_t used = 0;

	if (selection_read(&selection, page->only, page->skip))
		return;
	for (size_t i = 0; i < ingest->run.process_count; i++)
		fitted |= ingest->run.processes[i].fitted_rules;
	for (uint32_t i = 0; i < selection.count; i++) {
		const struct selection_rule *rule = &selection.rules[i];
		size_t room = sizeof(fact->text) - used;
		int length;

		if (fitted >> i & 1)
			continue;
		length = snprintf(fact->text + used, room, "%s%.*s",
				  fact->value++ ? ", " : "", (int)rule->length,
				  rule->text);
		used += length < (int)room ? (size_t)length : room - 1;
	}
}

static void add_unread_objects(struct ingest *ingest)
{
	const struct ingest_watch *watch = &ingest->watch;
	struct ingest_fact *fact = add(ingest, "unread_objects", watch->unread_objects);

	if (watch->unread_objects)
		snprintf(fact->text, sizeof(fact->text), "%s", watch->unread_object);
}

static uint64_t left_out_ns(const struct merge *merge)
{
	int64_t ns = ticks_duration_ns(merge->ticks, (double)merge->left_out_ticks);

	return ns > 0 ? (uint64_t)ns : 0;
}

static void add_recordings(struct ingest *ingest)
{
	const struct merge *merge = &ingest->merge;
	uint64_t sampled = recorded_so(merge, MERGE_SAMPLED);
	uint64_t counted = recorded_so(merge, SEGMENT_RECORDING_COUNTED);
	uint64_t off = functions_that(merge, is_off);

	add(ingest, "counted_calls", merge->counted_call_count);
	add(ingest, "counted_functions", counted);
	add(ingest, "off_functions", off);
	add(ingest, "rewritten_functions", functions_that(merge, is_rewritten));
	add(ingest, "sampled_functions", sampled);
	/* kept for compatibility: the sum of the newer counters */
	add(ingest, "stopped_functions", counted + off);
	add(ingest, "left_out_ns", left_out_ns(merge));
}

/* Counts the processes by how they saw their context switches. */
static void add_switches(struct ingest *ingest)
{
	uint64_t counts[SEGMENT_SWITCHES_UNSEEN + 1] = {0};

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		uint32_t source = ingest->run.processes[i].switch_source;

		if (source <= SEGMENT_SWITCHES_UNSEEN)
			counts[source]++;
	}
	add(ingest, "unsplit_processes", counts[SEGMENT_SWITCHES_OFF]);
	add(ingest, "switches_by_rseq", counts[SEGMENT_SWITCHES_RSEQ]);
	add(ingest, "switches_by_perf", counts[SEGMENT_SWITCHES_PERF]);
	add(ingest, "switches_unseen", counts[SEGMENT_SWITCHES_UNSEEN]);
	add(ingest, "lost_wait_ns", ingest->merge.lost_wait_ns);
	add(ingest, "folded_locks", ingest->merge.locks.folded_count);
	add(ingest, "lost_stalls", ingest->merge.locks.stalls.lost_count);
	add(ingest, "lost_transfers", ingest->merge.transfers.lost_count);
	add(ingest, "lost_transfer_bytes", ingest->merge.transfers.lost_bytes);
}

static void put_refusal(struct ingest_fact *fact, int error)
{
	snprintf(fact->text, sizeof(fact->text), "%s",
		 error ? strerror(error) : "a filter of system calls");
}

/* Adds why sampling was refused: the answer that the collector got for the whole run, or
 * the last thread that asked. Where a timer replaced it, says why. */
static void add_refusal(struct ingest *ingest)
{
	const struct sampled *sampled = &ingest->merge.sampled;
	const struct read_sampling *sampling = &ingest->run.sampling;
	int is_refused = sampling->answer == SEGMENT_SAMPLING_REFUSED;
	struct ingest_fact *fact = add(ingest, "timer_samples", sampled->timer_count);

	if (fact->value && is_refused) {
		put_refusal(fact, sampling->error);
		is_refused = 0;
	}
	fact = add(ingest, "sampling_refused", is_refused || sampled->refused_count);
	if (fact->value)
		put_refusal(fact, is_refused ? sampling->error : sampled->ring_error);
}

static void add_samples(struct ingest *ingest)
{
	const struct sampled *sampled = &ingest->merge.sampled;

	add(ingest, "samples", sampled->count);
	add(ingest, "outside_samples", sampled->outside_count);
	add(ingest, "sample_stacks", sampled->stack_count);
	add(ingest, "cut_sample_stacks", sampled->cut_stack_count);
	add(ingest, "lost_sample_stacks", sampled->lost_stack_count);
	add(ingest, "refused_sample_stacks", sampled->refused_stack_count);
	add(ingest, "sampled_ns", sampled->cpu_ns);
	add(ingest, "sampled_hook_ns", sampled->hook_ns);
	add(ingest, "unsampled_kernel_ns", sampled->kernel_ns);
	add(ingest, "lost_sample_ns", sampled->lost_ns);
	add(ingest, "sample_period_us", sampled->shortest_period_us);
	add(ingest, "sample_longest_period_us", sampled->longest_period_us);
	/* a signal takes about a microsecond, which nobody has measured here */
	add(ingest, "sample_tick_ns",
	    sampled->timer_count ? 0 : ingest->run.sampling.tick_ns);
	add(ingest, "sample_rings", sampled->ring_count);
	add(ingest, "declined_sample_rings", sampled->declined_count);
	add(ingest, "samples_off", ingest->run.page.sample_hz == SEGMENT_SAMPLES_OFF);
	add(ingest, "samples_only", ingest->run.page.samples_only);
	add_refusal(ingest);
}

static void add_spans(struct ingest *ingest)
{
	const struct spans *spans = &ingest->merge.spans;
	int64_t complete_ns =
		ticks_duration_ns(&ingest->ticks, (double)spans->complete_ticks);

	add(ingest, "span_floor_ns", ingest->run.page.span_floor_ns);
	add(ingest, "spans_complete_ns", complete_ns > 0 ? (uint64_t)complete_ns : 0);
	add(ingest, "thinned_spans", spans->thinned_count);
	add(ingest, "coarse_spans", spans->joined_count);
	add(ingest, "lost_spans", spans->lost_count);
}

/* Adds the bytes that the kernel counted and the recording did not see, for processes
 * that reported the kernel's count at their end. What was seen is summed up per slot, so
 * all processes of the slot must have reported. */
static void add_unseen_bytes(struct ingest *ingest)
{
	const struct transfers *transfers = &ingest->merge.transfers;
	uint64_t read = 0, written = 0, unseen_read = 0, unseen_written = 0, others = 0;

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_process *process = &ingest->run.processes[i];
		uint64_t in = process->counters[SEGMENT_COUNTER_READ_BYTES];
		uint64_t out = process->counters[SEGMENT_COUNTER_WRITE_BYTES];
		uint64_t unasked = process->counters[SEGMENT_COUNTER_UNASKED_ENDS];
		struct transfers_seen seen = {0, 0};

		if (process->is_borrower)
			continue;
		if (process->counters[SEGMENT_COUNTER_COUNTED_ENDS] + unasked !=
		    process->tenant + 1u) {
			others += process->tenant + 1u;
			continue;
		}
		others += unasked;
		if (i < transfers->seen_count)
			seen = transfers->seen[i];
		count_add(&read, in);
		count_add(&written, out);
		count_add(&unseen_read, in > seen.read_bytes ? in - seen.read_bytes : 0);
		count_add(&unseen_written,
			  out > seen.write_bytes ? out - seen.write_bytes : 0);
	}
	add(ingest, "kernel_read_bytes", read);
	add(ingest, "kernel_write_bytes", written);
	add(ingest, "unseen_read_bytes", unseen_read);
	add(ingest, "unseen_write_bytes", unseen_written);
	add(ingest, "uncompared_processes", others);
}

/* Adds the CPU time of children that were waited for. A parent's time includes its
 * children's children, so the largest is the run's. */
static void add_children(struct ingest *ingest)
{
	uint64_t most = 0;

	for (size_t i = 0; i < ingest->run.process_count; i++) {
		uint64_t one = ingest->run.processes[i]
				       .counters[SEGMENT_COUNTER_CHILDREN_CPU_NS];

		most = one > most ? one : most;
	}
	add(ingest, "children_cpu_ns", most);
}

/* Adds the modules that were not read completely. */
static void add_limits(struct ingest *ingest)
{
	const struct identify *identify = &ingest->merge.identify;
	struct ingest_fact *fact = add(ingest, "modules_over_limit", 0);

	for (size_t i = 0; i < identify->modules.count; i++) {
		const struct symbol_module *symbols = identify->modules.all[i].symbols;

		if (!symbols || symbols_why(symbols) != SYMBOLS_LIMIT)
			continue;
		if (!fact->value++)
			snprintf(fact->text, sizeof(fact->text), "%.255s",
				 identify->modules.all[i].from->path);
	}
}

/* A process's own notes and what the collector saw. One that became another user
 * unnoticed, or withdraws its note, could have others' memory. */
static uint32_t notes_of(const struct ingest *ingest, const struct read_process *process)
{
	const struct ingest_watch *watch = &ingest->watch;

	for (size_t i = 0; i < watch->other_user_count; i++) {
		if (watch->other_users[i].pid == process->pid &&
		    watch->other_users[i].start_ticks == process->start_ticks &&
		    !(process->notes & SEGMENT_NOTE_GAVE_UP_PRIVILEGES))
			return process->notes | SEGMENT_NOTE_GAVE_UP_PRIVILEGES |
			       SEGMENT_NOTE_NOT_APART;
	}
	return process->notes;
}

/* Counts the processes that noted it; the run's state counts as one more. */
static size_t noted_by(const struct ingest *ingest, uint32_t note)
{
	size_t count = (ingest->run.state.notes & note) != 0;

	for (size_t i = 0; i < ingest->run.process_count; i++)
		count += (notes_of(ingest, &ingest->run.processes[i]) & note) != 0;
	return count;
}

/* Is the function missing in every process? Wrapper programs need not have it. */
static int is_missing_everywhere(const struct ingest *ingest)
{
	for (size_t i = 0; i < ingest->run.process_count; i++) {
		const struct read_process *process = &ingest->run.processes[i];

		if (!process->forked_from_slot &&
		    !(process->notes & SEGMENT_NOTE_NO_FUNCTION))
			return 0;
	}
	return 1;
}

/* The noted reason why processes have no numbers. */
static const char *cause_of_loss(const struct ingest *ingest)
{
	if (noted_by(ingest, SEGMENT_NOTE_NO_ADDRESSES))
		return "there were no addresses for their part of the recording";
	if (noted_by(ingest, SEGMENT_NOTE_SLOTS_EXHAUSTED))
		return "all places of the recording were taken";
	if (noted_by(ingest, SEGMENT_NOTE_NO_SPACE))
		return "the disk was full";
	return "they could not write beside the output file, or were forbidden to";
}

static uint64_t unseen_ends(const struct ingest *ingest)
{
	uint64_t count = 0;

	for (size_t i = 0; !ingest->watch.is_live && i < ingest->run.process_count; i++)
		count += ingest->endings[i].is_unseen != 0;
	return count;
}

static void add_lost_processes(struct ingest *ingest)
{
	uint64_t count = ingest->run.state.lost_process_count;
	struct ingest_fact *fact = add(ingest, "lost_processes", count);

	if (count)
		snprintf(fact->text, sizeof(fact->text), "%s", cause_of_loss(ingest));
}

static bool holds(const struct ingest *ingest, uint32_t note, const char *refused)
{
	if (note == SEGMENT_NOTE_SETTING_IGNORED && refused)
		return true;
	return noted_by(ingest, note) &&
	       (note != SEGMENT_NOTE_NO_FUNCTION || is_missing_everywhere(ingest));
}

/* Adds a refused setting. The shim reports those that it reads; the library rules are the
 * collector's. */
static void put_setting(struct ingest_fact *fact, const struct segment_run *page,
			const char *refused)
{
	size_t used = strlen(fact->text);

	if (page->setting_ignored[0])
		snprintf(fact->text + used, sizeof(fact->text) - used, ": %s",
			 page->setting_ignored);
	used = strlen(fact->text);
	if (refused)
		snprintf(fact->text + used, sizeof(fact->text) - used,
			 "%s PROFSHIM_LIBRARY=%.60s: %s",
			 page->setting_ignored[0] ? ";" : ":", page->library, refused);
}

static void add_notes(struct ingest *ingest)
{
	const struct segment_run *page = &ingest->run.page;
	const char *refused =
		page->library[0] ? ingest->merge.identify.library.refused : NULL;
	uint32_t all = 0;

	for (size_t i = 0; i < COUNT(notes); i++) {
		struct ingest_fact *fact;

		if (!holds(ingest, notes[i].note, refused))
			continue;
		all |= notes[i].note;
		fact = add(ingest, notes[i].name, 1);
		snprintf(fact->text, sizeof(fact->text), "%s",
			 trust_counter_find(notes[i].name)->many);
		if (notes[i].note == SEGMENT_NOTE_SETTING_IGNORED)
			put_setting(fact, page, refused);
	}
	add(ingest, "notes", all);
}

/* Counts snapshots that could not be taken or are incomplete. */
static uint64_t refused_snapshots(const struct ingest *ingest)
{
	uint64_t refused = sum(ingest, SEGMENT_COUNTER_REFUSED_SNAPSHOTS);

	count_add(&refused, ingest->snapshots.cut_count);
	for (size_t i = 0; i < ingest->run.process_count; i++)
		count_add(&refused, ingest->run.processes[i].history.incomplete_count);
	return refused;
}

void trust_collect(struct ingest *ingest)
{
	const struct merge *merge = &ingest->merge;
	uint64_t tool_bytes = sum(ingest, SEGMENT_COUNTER_TOOL_BYTES);

	/* What the shim mapped includes the segment's pages. A killed process may have
	 * left pages that it had not counted yet. */
	if (tool_bytes < ingest->run.spool_bytes)
		tool_bytes = ingest->run.spool_bytes;
	add(ingest, "hook_calls", merge->call_count);
	add(ingest, "nested_entries", merge->nested_call_count);
	add(ingest, "nested_counted", merge->nested_counted_count);
	add(ingest, "libc_calls", merge->libc_call_count);
	add(ingest, "repaired_frames", merge->repaired_frame_count);
	add(ingest, "orphan_exits", merge->orphan_exit_count);
	add(ingest, "unended_regions", merge->unended_region_count);
	add(ingest, "orphan_regions", merge->orphan_region_count);
	add(ingest, "folded_paths", merge->folded_call_count);
	add(ingest, "merged_recursion", merge->merged_call_count);
	add(ingest, "paths_without_percentiles", merge->unlisted_path_count);
	add(ingest, "lost_marks", merge->lost_mark_count);
	add(ingest, "shared_lanes", merge->shared_lane_count);
	add(ingest, "open_frames", merge->open_frame_count);
	add(ingest, "reused_stacks", merge->reused_stack_count);
	add(ingest, "rebuilt_stacks", merge->rebuilt_stack_count);
	add(ingest, "truncated_stacks", merge->truncated_stack_count);
	add(ingest, "partial_stacks", merge->partial_stack_count);
	for (size_t i = 0; i < COUNT(counters); i++)
		add(ingest, counters[i].name, sum(ingest, counters[i].counter));
	add(ingest, "refused_snapshots", refused_snapshots(ingest));
	add_recordings(ingest);
	add_switches(ingest);
	add_samples(ingest);
	add_spans(ingest);
	add_unseen_bytes(ingest);
	add_children(ingest);
	add_rules(ingest);
	add_unread_objects(ingest);
	add(ingest, "unresolved_functions", named_so(merge, IDENTIFY_UNNAMED));
	add(ingest, "system_functions", named_so(merge, IDENTIFY_NEAR));
	add_limits(ingest);
	add_lost_processes(ingest);
	add(ingest, "unseen_ends", unseen_ends(ingest));
	add(ingest, "damaged_segments",
	    merge->damaged_count + merge->spans.damaged_count);
	add(ingest, "damaged_samples", ingest->watch.damaged_sample_count);
	add(ingest, "tool_memory_bytes", tool_bytes);
	add(ingest, "collector_recovered", ingest->watch.is_recovered != 0);
	add_notes(ingest);
}
