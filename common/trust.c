/* SPDX-License-Identifier: MIT */
/* What the counters of trust mean, and other statements about a recording. A new counter
 * is described here, once. */
#include "common/trust.h"

#include <stddef.h>
#include <string.h>

/* Facts that need no words here, or have them where they are reported (io, doctor). */
static const char plain[] =
	" hook_calls nested_entries nested_counted libc_calls tool_memory_bytes "
	"early_bytes open_frames notes shared_lanes unloaded_modules "
	"inherited_frames inherited_frees system_functions counted_calls "
	"patched_sites mode_changes reused_stacks rebuilt_stacks "
	"unsplit_processes switches_by_rseq switches_by_perf samples "
	"outside_samples sample_stacks cut_sample_stacks lost_sample_stacks "
	"refused_sample_stacks sampled_ns sampled_hook_ns unsampled_kernel_ns "
	"lost_sample_ns sample_period_us sample_longest_period_us sample_tick_ns "
	"sample_rings declined_sample_rings samples_off samples_only left_out_ns "
	"lost_wait_ns "
	"span_floor_ns spans_complete_ns thinned_spans coarse_spans "
	"lost_transfer_bytes untold_waits unasked_switches children_cpu_ns "
	"kernel_read_bytes kernel_write_bytes unseen_read_bytes "
	"unseen_write_bytes uncompared_processes stopped_functions ";

static const struct trust_counter counters[] = {
	{"rewritten_functions", TRUST_PLAIN, NULL, NULL,
	 "Calls of hooks in these functions' code were rewritten in memory, so that they "
	 "are "
	 "only counted. A program that checks its own code will notice.",
	 "PROFSHIM_PATCH=off or PROFSHIM_LEVEL=exact leaves the code as it is."},
	{"timer_samples", TRUST_MINOR, "sample by a timer", "samples by a timer",
	 "A timer's signal sampled the CPU time at scheduler ticks, 100 to 1,000 times a "
	 "second. Code that runs for less than a tick after each sleep gets too many or "
	 "too few samples.",
	 "The kernel's samples are finer and need no signal: sysctl "
	 "kernel.perf_event_paranoid=2, or --cap-add PERFMON for a container, allows "
	 "them."},
	{"sampling_refused", TRUST_MINOR, NULL, "no samples of CPU time",
	 "The kernel, or a filter of system calls, refused some or all threads their "
	 "samples: functions that are only counted have no times of their own there.",
	 "kernel.perf_event_paranoid of at most 2 allows them."},
	{"switches_unseen", TRUST_MINOR, "process whose waits are not known",
	 "processes whose waits are not known",
	 "Neither restartable sequences nor perf events showed when a thread lost its "
	 "CPU: CPU time, CPU wait and blocked time are one number.",
	 "Use glibc 2.35 or later and Linux before 6.19, or perf_event_paranoid of at "
	 "most 2."},
	{"folded_locks", TRUST_MINOR, "call for a lock missing from locks",
	 "calls for locks missing from locks",
	 "A thread used more than 8,191 locks, or waited for them on more than 16,383 "
	 "pairs of paths: the rest is not in the tables of locks.",
	 "No action needed: the time of these waits is on their call paths."},
	{"lost_stalls", TRUST_MINOR, "wait for another thread not kept one by one",
	 "waits for other threads not kept one by one",
	 "There was no memory for them, or a handler waited while the thread noted "
	 "another.",
	 "No action needed: all totals include them; `critical` does not follow them."},
	{"lost_spans", TRUST_MINOR, "slow call not kept one by one",
	 "slow calls not kept one by one",
	 "There was no memory for them, or a handler was slow while the thread noted "
	 "another.",
	 "No action needed: all totals include them; `timeline` does not."},
	{"lost_transfers", TRUST_MINOR, "call that moved data missing from io",
	 "calls that moved data missing from io",
	 "There was no room for their call path, or a signal handler came between: their "
	 "bytes are in no row of io.",
	 "PROFSHIM_MAX_PATHS makes room for more call paths."},
	{"sampled_functions", TRUST_MINOR, "function timed by samples",
	 "functions timed by samples",
	 "Their calls are short compared with the cost of timing one, so each call was "
	 "counted and CPU time was sampled. Times have the error of that many samples.",
	 "PROFSHIM_SAMPLES takes more samples; PROFSHIM_LEVEL=exact times every call."},
	{"counted_functions", TRUST_MINOR, "function counted and not timed",
	 "functions counted and not timed",
	 "Their calls are short compared with the cost of timing one, so each was "
	 "counted. Without samples their time is in the nearest timed callers.",
	 "Samples time them (prof-analyze doctor says what allows samples); "
	 "PROFSHIM_LEVEL=exact times every call."},
	{"off_functions", TRUST_MINOR, "function left out on request",
	 "functions left out on request",
	 "PROFSHIM_ONLY or PROFSHIM_SKIP left them out: they are not counted, and their "
	 "time is in their callers.",
	 "Record without these settings to include them."},
	{"rules_without_functions", TRUST_MINOR, "rule that fits no function",
	 "rules that fit no function",
	 "Words of PROFSHIM_ONLY or PROFSHIM_SKIP match nothing in the objects that "
	 "called "
	 "hooks.",
	 "Write linkage names, or C++ names without parameters, as prof-analyze "
	 "functions shows them."},
	{"unread_objects", TRUST_MINOR,
	 "object on which rules about source files had no effect",
	 "objects on which rules about source files had no effect",
	 "Rules of PROFSHIM_ONLY or PROFSHIM_SKIP name source files or whole C++ names, "
	 "which come from debug information and symbols; objects without these match "
	 "nothing.",
	 "Compile with -g, and record again."},
	{"pauses", TRUST_MINOR, "pause of the recording", "pauses of the recording",
	 "The program, or a condition that was asked for, paused the recording: calls in "
	 "a pause are not counted, and their time is in no function.",
	 "Allocations of pauses are below [paused]."},
	{"late_objects", TRUST_MINOR, "object that recorded before its rules were known",
	 "objects that recorded before their rules were known",
	 "Rules about source files were not resolved when the program began: functions "
	 "they exclude were recorded for a moment.",
	 "Reading a large file of debug information takes longer than the program "
	 "waits."},
	{"early_sites", TRUST_MINOR, "call of a hook that could not be rewritten",
	 "calls of hooks that could not be rewritten",
	 "Calls of hooks lie where code cannot be written (it is protected, or lies "
	 "across two cache lines): there the hook returns early, which costs more.",
	 "No action needed: counts are exact, the run is a little slower."},
	{"unknown_levels", TRUST_MINOR, "path that may lack levels",
	 "paths that may lack levels",
	 "The stack had functions without frames and could not be walked when the path "
	 "was first seen (no unwind tables, or a signal interrupted): the path is "
	 "attached to the next outer function that has a frame.",
	 "PROFSHIM_LEVEL=exact gives every function frames."},
	{"collector_recovered", TRUST_MINOR, NULL, "assembled from its spool",
	 "No collector was there when the run ended; it was assembled from its spool.",
	 "The numbers are complete; resource samples end where the collector did."},
	{"unresolved_functions", TRUST_MINOR, "function without a name",
	 "functions without a name", "The files they belong to are named below.", NULL},
	{"modules_over_limit", TRUST_MINOR, "file whose names were not all read",
	 "files whose names were not all read",
	 "Reading the debug information of a file takes more time or memory than is "
	 "spent "
	 "on it (3 s and 256 MiB for each file, 10 s and 1 GiB for a run): it is "
	 "damaged, "
	 "crafted, or of an unusually large program.",
	 "What had been read by then is used; the numbers are complete. Names of "
	 "functions need no debug information: strip -g keeps them."},
	{"unknown_frees", TRUST_MINOR, "free of an unseen block",
	 "frees of unseen blocks",
	 "Blocks were freed whose allocation was not seen: they are older than the "
	 "recording or came from another allocator.",
	 "No action needed: they count neither as allocated nor as freed."},
	{"truncated_stacks", TRUST_MINOR, "allocation whose stack was cut",
	 "allocations whose stacks were cut",
	 "Allocations were made below more frames without hooks than are unwound; their "
	 "paths have only the innermost frames.",
	 "Record with a larger PROFSHIM_STACK_DEPTH (at most 256)."},
	{"partial_stacks", TRUST_MINOR, "allocation whose stack was followed in part",
	 "allocations whose stacks were followed in part",
	 "Allocations were made below code without unwind tables: assembly, or code "
	 "generated at run time. Their paths have only the frames inside it.",
	 "No action needed: their amounts and inner frames are correct."},
	{"refused_snapshots", TRUST_LOST, "snapshot that was not taken",
	 "snapshots that were not taken, or are incomplete",
	 "There was no room for them (a process has at most 4,095, and some millions of "
	 "entries for the changes between them), or one took too long.",
	 "Take fewer of them: a longer PROFSHIM_SNAPSHOT_EVERY, or fewer calls.",
	 TRUST_GROWTH},
	{"unlisted_threads", TRUST_MINOR, "thread without a row", "threads without a row",
	 "A process had more threads over time than its table has rows.",
	 "No action needed: all tables include their calls and allocations."},
	{"repaired_frames", TRUST_REPAIRED, "frame closed without its exit",
	 "frames closed without their exit",
	 "Functions were left without their exit hook: by longjmp, an exception, a "
	 "thread that ended inside them, or the end of the program.",
	 "Their calls are counted; their time ends at the next known event."},
	{"orphan_exits", TRUST_REPAIRED, "exit without an entry ignored",
	 "exits without an entry ignored",
	 "Exit hooks ran that matched no open call: the functions were entered before "
	 "the recording, or closed early on the way of a jump.",
	 "Counts are right; times around such functions may belong to the wrong caller."},
	{"unended_regions", TRUST_REPAIRED, "region without its end",
	 "regions without their end",
	 "Regions were still open when the function that began them returned, or when a "
	 "region around them ended: they were ended there.",
	 "End each region where its function ends, on every way out (in C++ "
	 "profshim::region does); a function that begins one for its caller needs "
	 "PROFSHIM_INLINE."},
	{"orphan_regions", TRUST_MINOR, "end of a region that was not open",
	 "ends of regions that were not open",
	 "Regions were ended twice, or without having begun in that thread: such an end "
	 "is ignored.",
	 "Look for a second profshim_region_end(), or one whose component or name "
	 "differs from the begin's."},
	{"paths_without_percentiles", TRUST_MINOR,
	 "call path missing from its function's percentiles",
	 "call paths missing from their functions' percentiles",
	 "A thread has room for the histograms of some 50,000 functions, and met more.",
	 "No action needed: calls and times are there; PROFSHIM_SKIP leaves functions "
	 "out."},
	{"merged_recursion", TRUST_MINOR, "recursive call on the path of an outer one",
	 "recursive calls on the paths of outer ones",
	 "A thread had more than 65,536 call paths, or there was no room for more: calls "
	 "of a function that was already on the path count there, with what they call.",
	 "The tree is shorter; counts and times of functions are the same."},
	{"folded_paths", TRUST_LOST, "call folded into its caller",
	 "calls folded into their callers",
	 "There were more call paths than the limit or the disk allowed; further ones "
	 "were added to their nearest caller.",
	 "Record with a larger PROFSHIM_MAX_PATHS, or make room on the disk.",
	 TRUST_TIME | TRUST_MEMORY, TRUST_OF_CALLS},
	{"lost_marks", TRUST_LOST, "step or counter not recorded",
	 "steps or counters not recorded",
	 "Steps or counters were not recorded: more than 256 names in a thread, no room "
	 "on the disk, a value that is not finite, or a signal handler that interrupted "
	 "one.",
	 "Use a name for a loop, not for each of its steps."},
	{"dropped_allocations", TRUST_LOST, "allocation not recorded",
	 "allocations not recorded",
	 "Allocations were made where the shim could not record them, for instance in a "
	 "signal handler that interrupted it.",
	 "Totals are short by that many.", TRUST_MEMORY, TRUST_OF_ALLOCATIONS},
	{"lost_frees", TRUST_LOST, "free not seen", "frees not seen",
	 "The allocator reused blocks that were believed live: their free was not seen.",
	 "Live bytes may be too high by those blocks; look for memory freed by the "
	 "program's own allocator.",
	 TRUST_MEMORY, TRUST_OF_ALLOCATIONS},
	{"late_events", TRUST_LOST, "call of a thread without a record",
	 "calls of threads without a record",
	 "Threads made calls while they had no place to record them: before their start "
	 "or after their end, or because all places were taken.",
	 "Record with fewer threads at a time: totals are short by that many calls.",
	 TRUST_TIME, TRUST_OF_CALLS},
	{"lost_processes", TRUST_LOST, "process not recorded", "processes not recorded",
	 "Processes of the run left no numbers.",
	 "If they could not write, put PROFSHIM_OUTPUT where every process of the run "
	 "may. Other causes are listed below, with what to do.",
	 TRUST_TIME | TRUST_MEMORY},
	{"unseen_ends", TRUST_REPAIRED, "process end not seen", "process ends not seen",
	 "Both the processes and their collector were gone, as when both are killed or "
	 "the machine stops: the last trace counts as their end.",
	 "How long they ran after that is not known, so nothing is said about shares of "
	 "the run; calls and allocations are all there."},
	{"damaged_samples", TRUST_MINOR, "damaged record of the collector left out",
	 "damaged records of the collector left out",
	 "Samples of /proc or ends of processes that the run's collector had written "
	 "down could not be read, as after a crash of the machine; calls and allocations "
	 "are all there.",
	 NULL},
	{"damaged_segments", TRUST_LOST, "damaged part of the spool left out",
	 "damaged parts of the spool left out",
	 "A part of the spool could not be read, as after a crash of the machine.",
	 "Record again: its contents are missing.", TRUST_TIME | TRUST_MEMORY},
	/* Notes of the shim, see enum segment_note. */
	{"note_no_collector", TRUST_MINOR, NULL, "no collector was started",
	 "The collector could not be started, so nobody took resource samples.",
	 "Check that profshim-collect is installed, or set PROFSHIM_COLLECTOR; a sandbox "
	 "that forbids exec has the same effect."},
	{"note_subreaper", TRUST_PLAIN, NULL, "the program adopts orphans",
	 "The program is PID 1 or a child subreaper and would have adopted the "
	 "collector, so none was started.",
	 "No action needed: prof-analyze assembles the run."},
	{"note_no_space", TRUST_LOST, NULL, "the disk was full",
	 "The disk was full: the recording could not grow any more.",
	 "Make room beside PROFSHIM_OUTPUT and record again.", TRUST_TIME | TRUST_MEMORY},
	{"note_no_shadow", TRUST_LOST, NULL, "no room for the map of live blocks",
	 "There was no address space for the map of live blocks (ulimit -v?).",
	 "Raise the limit; without the map frees and live bytes are not known.",
	 TRUST_MEMORY},
	{"note_setting_ignored", TRUST_MINOR, NULL, "a setting was ignored",
	 "A PROFSHIM_ variable had a value that could not be understood; the default was "
	 "used.",
	 "prof-record --help lists the settings."},
	{"note_slots_exhausted", TRUST_LOST, NULL, "too many threads and processes",
	 "There were more threads and processes than one recording has room for.",
	 "The calls of those without a place are missing; PROFSHIM_FOLLOW=none leaves "
	 "children out.",
	 TRUST_TIME | TRUST_MEMORY},
	{"note_no_addresses", TRUST_LOST, NULL, "addresses were refused",
	 "A thread or process was refused the addresses that its part of the recording "
	 "needs: by a limit (ulimit -v), or by a host that keeps them, such as valgrind.",
	 "Raise the limit; record the program by itself, not what runs it.",
	 TRUST_TIME | TRUST_MEMORY},
	{"note_own_allocator", TRUST_MINOR, NULL, "the program has its own malloc",
	 "The program defines malloc itself, so the shim does not see its allocations.",
	 "Link it without its allocator for the recording."},
	{"note_other_new", TRUST_LOST, NULL, "allocations by operator new are not seen",
	 "The program's allocator (jemalloc, tcmalloc, mimalloc) brings operators new "
	 "and "
	 "delete of C++ that do not call malloc and free, which is what the shim sees.",
	 "Record with libc's allocator to see what new allocates.", TRUST_MEMORY},
	{"note_no_function", TRUST_MINOR, NULL, "a named function was not found",
	 "PROFSHIM_SNAPSHOT_AT, PROFSHIM_FROM or PROFSHIM_UNTIL names a function that no "
	 "recorded object has.",
	 "Write it as the linker knows it (nm ./app), or a C++ name without its "
	 "parameters; an inlined or stripped function cannot be found."},
	{"note_gave_up_privileges", TRUST_PLAIN, NULL, "a process changed its user",
	 "A process became another user than the one who records; its part of the "
	 "recording moved into a file of its own before.",
	 "No action needed; docs/security.md says what that protects."},
	{"note_not_apart", TRUST_MINOR, NULL, "a process with another user shares memory",
	 "A process became another user and still shares the recording's memory with "
	 "processes that did not: whoever takes it over can overwrite their numbers.",
	 "Record only programs whose workers you trust in this way; docs/security.md "
	 "says when it happens."},
	{"note_own_hooks", TRUST_MINOR, NULL, "the program has its own hooks",
	 "The program defines __cyg_profile_func_enter itself, so its calls do not reach "
	 "the shim.",
	 "Link it without those functions for the recording."},
	{"note_no_clock", TRUST_LOST, NULL, "the program forbade itself the clock",
	 "A thread forbade itself to read the processor's clock (PR_TSC_SIGSEGV, or "
	 "seccomp's strict mode). From then on system calls time its calls, which takes "
	 "longer than many calls, and strict mode forbids even that: their counts are "
	 "exact, their times are not.",
	 "Record it without this restriction to see its times.", TRUST_TIME},
	{"note_timer_ended", TRUST_MINOR, NULL, "threads without the timer's samples",
	 "The signal of a timer might have harmed the program, so threads went without "
	 "it: there are coroutines, a filter of system calls that came later, a small "
	 "stack or signal stack, pthread_cancel(), or signals that are blocked by system "
	 "calls of the program's own.",
	 "Samples of the kernel have no such limits: kernel.perf_event_paranoid of at "
	 "most "
	 "2 allows them."},
	{"note_sealed", TRUST_LOST, NULL, "the program sandboxed itself",
	 "The program forbade itself system calls (seccomp), so the recorder made none "
	 "any more and could not grow: from then on new call paths fold into their "
	 "callers, and new threads and children are not recorded.",
	 "Record it with its sandbox switched off to see the rest.",
	 TRUST_TIME | TRUST_MEMORY},
	/* Statements about a run that have no counter. */
	{.name = "is_live",
	 .many = "the run is still going on",
	 .advice = "Look again when it has ended",
	 .touches = TRUST_TIME | TRUST_MEMORY | TRUST_GROWTH},
	{.name = "incomplete",
	 .many = "not every process ended by itself",
	 .advice = "Let the program end by itself: exit(), or a signal that it handles",
	 .touches = TRUST_TIME},
	{.name = "unresolved_share",
	 .many = "of the time is in functions without a name",
	 .advice = "Build with -g, and do not strip the program before the run has ended",
	 .touches = TRUST_NAMES},
	{.name = "no_calls",
	 .weight = TRUST_LOST,
	 .meaning = "No instrumented function was called: the program, or the part of it "
		    "that ran, was compiled without hooks.",
	 .advice = "Compile and link it with -finstrument-functions (gcc or clang) and "
		   "record again; 'prof-analyze doctor --program ./app' tells whether it "
		   "has them."},
	{.name = "no_allocations",
	 .weight = TRUST_LOST,
	 .meaning = "No allocation was seen: the program made none, or it does not use "
		    "the malloc of the C library.",
	 .advice =
		 "'prof-analyze doctor --program ./app' tells whether it brings its own "
		 "malloc; link it without for the recording."},
	{.name = "no_resources",
	 .meaning = "There are no resource samples although the run was long enough: no "
		    "collector watched it.",
	 .advice = "Check that profshim-collect is installed beside libprofshim.so, or "
		   "set PROFSHIM_COLLECTOR to it."},
};

const struct trust_counter *trust_counter_find(const char *name)
{
	static const struct trust_counter without_words;
	const char *at = plain + 1;
	size_t size = strlen(name);

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (strcmp(counters[i].name, name) == 0)
			return &counters[i];
	while (size && (at = strstr(at, name))) {
		if (at[-1] == ' ' && at[size] == ' ')
			return &without_words;
		at += size;
	}
	return NULL;
}
