/* SPDX-License-Identifier: MIT */
/*
 * The trust line, and what stands behind each of its numbers. Must not pass over a
 * counter it does not know: it is shown by its name.
 */
#include "analyzer/reports/trust/trust.h"

#include "common/base/utf8.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include "trust.sql.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

enum weight {
	PLAIN,	  /* a fact, not a fault */
	MINOR,	  /* worth a word; calls and allocations are exact all the same */
	REPAIRED, /* counts are exact, some times end where the shim had to guess */
	LOST,	  /* numbers are missing */
};

struct item {
	const char *name;
	enum weight weight;
	const char *one, *many; /* in the trust line, after the number; NULL: no number */
	const char *explanation, *advice;
};

static const struct item items[] = {
	{"hook_calls", PLAIN, NULL, NULL, NULL, NULL},
	{"tool_memory_bytes", PLAIN, NULL, NULL, NULL, NULL},
	{"early_bytes", PLAIN, NULL, NULL, NULL, NULL},
	{"open_frames", PLAIN, NULL, NULL, NULL, NULL},
	{"notes", PLAIN, NULL, NULL, NULL, NULL},
	{"unloaded_modules", PLAIN, NULL, NULL, NULL, NULL},
	{"inherited_frames", PLAIN, NULL, NULL, NULL, NULL},
	{"inherited_frees", PLAIN, NULL, NULL, NULL, NULL},
	{"system_functions", PLAIN, NULL, NULL, NULL, NULL}, /* doctor tells more */
	{"collector_recovered", MINOR, NULL, "put together from its spool",
	 "No collector was there when the run ended; it was put together from its spool.",
	 "The numbers are complete; resource samples end where the collector did."},
	{"unresolved_functions", MINOR, "function without a name",
	 "functions without a name", "The files they belong to are named below.", NULL},
	{"modules_over_limit", MINOR, "file whose names were not all read",
	 "files whose names were not all read",
	 "The debug information of a file asks for more time or memory than is spent on "
	 "it "
	 "(3 s and 256 MiB for each file, 10 s and 1 GiB for a run): it is damaged, or "
	 "made "
	 "to do so, or of an unusually large program.",
	 "What had been read by then is used; the numbers are complete. Names of "
	 "functions "
	 "are there without debug information, too (strip -g)."},
	{"unknown_frees", MINOR, "free of an unseen block", "frees of unseen blocks",
	 "Blocks were freed whose allocation was not seen: they are older than the "
	 "recording or came from another allocator.",
	 "Nothing has to be done: they count neither as allocated nor as freed."},
	{"sampled_functions", MINOR, "function timed by sampling",
	 "functions timed by sampling",
	 "To keep the overhead budget, some functions were timed on one call in N.",
	 "Record with PROFSHIM_LEVEL=exact to time every call."},
	{"refused_snapshots", LOST, "snapshot that was not taken",
	 "snapshots that were not taken, or are incomplete",
	 "There was no room for them: 4,095 are the most for a process, and what changes "
	 "between them has room for some millions of entries; or one took too long.",
	 "Take fewer of them: a longer PROFSHIM_SNAPSHOT_EVERY, or fewer calls."},
	{"unlisted_threads", MINOR, "thread without a row", "threads without a row",
	 "A process had more threads over time than its table has rows.",
	 "Nothing has to be done: their calls and allocations are in all tables."},
	{"repaired_frames", REPAIRED, "frame closed without its exit",
	 "frames closed without their exit",
	 "Functions were left without their exit hook: by longjmp, an exception, a "
	 "thread "
	 "that ended inside them, or the end of the program.",
	 "Their calls are counted; their time ends where the next known event stands."},
	{"orphan_exits", REPAIRED, "exit without an entry ignored",
	 "exits without an entry ignored",
	 "Exit hooks ran that matched no open call: the functions were entered before "
	 "the recording, or closed early on the way of a jump.",
	 "Counts are right; times around such functions may belong to the wrong caller."},
	{"unended_regions", REPAIRED, "region without its end",
	 "regions without their end",
	 "Regions were still open when the function that began them returned, or when a "
	 "region around them ended: they were ended there.",
	 "End each region where its function ends, on every way out (in C++ "
	 "profshim::region does); a function that begins one for its caller needs "
	 "PROFSHIM_INLINE."},
	{"orphan_regions", MINOR, "end of a region that was not open",
	 "ends of regions that were not open",
	 "Regions were ended twice, or without having begun in that thread: such an end "
	 "is "
	 "ignored.",
	 "Look for a second profshim_region_end(), or one whose component or name "
	 "differs from the begin's."},
	{"folded_paths", LOST, "call folded into its caller",
	 "calls folded into their callers",
	 "There were more call paths than the limit or the disk allowed; further ones "
	 "were "
	 "added to their nearest caller.",
	 "Record with a larger PROFSHIM_MAX_PATHS, or make room on the disk."},
	{"lost_marks", LOST, "step or counter not recorded",
	 "steps or counters not recorded",
	 "Steps or counters were not recorded: more than 256 names in a thread, no room "
	 "on "
	 "the disk, a value that is not finite, or a signal handler that interrupted "
	 "one.",
	 "Use a name for a loop, not for each of its steps."},
	{"dropped_allocations", LOST, "allocation not recorded",
	 "allocations not recorded",
	 "Allocations were made where the shim could not record them, for instance in a "
	 "signal handler that interrupted it.",
	 "Totals are short by that many."},
	{"lost_frees", LOST, "free not seen", "frees not seen",
	 "Blocks were handed out again that were believed to be live: their free was not "
	 "seen.",
	 "Live bytes may be too high by those blocks; look for memory that is freed by "
	 "an "
	 "allocator of the program's own."},
	{"late_events", LOST, "call of a thread without a record",
	 "calls of threads without a record",
	 "Threads made calls while they had no place to record them: before their start "
	 "or after their end, or because all places were taken.",
	 "Totals are short by that many calls."},
	{"stopped_functions", LOST, "function stopped", "functions stopped",
	 "To keep the overhead budget, the recording of some functions was stopped; "
	 "their "
	 "time belongs to their callers from then on.",
	 "Record with PROFSHIM_LEVEL=exact, or do not compile hooks into them "
	 "(-finstrument-functions-exclude-function-list)."},
	{"lost_processes", LOST, "process not recorded", "processes not recorded",
	 "Processes of the run left no numbers.",
	 "When they could not write: put PROFSHIM_OUTPUT where every process of the run "
	 "may. "
	 "Other causes are told below, with what to do."},
	{"unseen_ends", REPAIRED, "end that nobody saw", "ends that nobody saw",
	 "Processes were gone, and their collector, too, as when both are killed or the "
	 "machine stops: the last trace counts as their end.",
	 "How long they ran after that is not known, so nothing is said about shares of "
	 "the "
	 "run; calls and allocations are all there."},
	{"damaged_samples", MINOR, "damaged record of the collector left out",
	 "damaged records of the collector left out",
	 "Samples of /proc or ends of processes that the run's collector had written "
	 "down "
	 "could not be read, as after a crash of the machine; calls and allocations are "
	 "all there.",
	 NULL},
	{"damaged_segments", LOST, "damaged part of the spool left out",
	 "damaged parts of the spool left out",
	 "A part of the spool could not be read, as after a crash of the machine.",
	 "What it held is missing."},
	/* Notes of the shim, see enum segment_note. */
	{"note_no_collector", MINOR, NULL, "no collector was started",
	 "The collector could not be started, so nobody took resource samples.",
	 "Check that profshim-collect is installed, or set PROFSHIM_COLLECTOR; a sandbox "
	 "that forbids exec has the same effect."},
	{"note_subreaper", PLAIN, NULL, "the program adopts orphans",
	 "The program is PID 1 or a child subreaper and would have adopted the "
	 "collector, "
	 "so none was started.",
	 "Nothing has to be done: prof-analyze puts the run together."},
	{"note_no_space", LOST, NULL, "the disk was full",
	 "The disk was full: the recording could not grow any more.",
	 "Make room beside PROFSHIM_OUTPUT and record again."},
	{"note_no_unwinder", LOST, NULL, "no unwinder",
	 "libunwind could not be loaded, so allocations made below uninstrumented "
	 "functions are charged to the nearest instrumented one.",
	 "Install libunwind8."},
	{"note_no_shadow", LOST, NULL, "no room for the map of live blocks",
	 "There was no address space for the map of live blocks (ulimit -v?).",
	 "Raise the limit; without the map frees and live bytes are not known."},
	{"note_setting_ignored", MINOR, NULL, "a setting was ignored",
	 "A PROFSHIM_ variable had a value that could not be understood; the default was "
	 "used.",
	 "prof-record --help lists the settings."},
	{"note_slots_exhausted", LOST, NULL, "too many threads and processes",
	 "More threads and processes than one recording has room for.",
	 "The calls of those without a place are missing; PROFSHIM_FOLLOW=none leaves "
	 "children out."},
	{"note_no_addresses", LOST, NULL, "addresses were refused",
	 "A thread or process was refused the addresses that its part of the recording "
	 "needs: by a limit (ulimit -v), or by a host that keeps them, such as valgrind.",
	 "Raise the limit; record the program by itself, not what runs it."},
	{"note_own_allocator", MINOR, NULL, "the program has its own malloc",
	 "The program defines malloc itself, so its allocations do not pass the shim.",
	 "Link it without its allocator for the recording."},
	{"note_no_function", MINOR, NULL, "a function for snapshots was not found",
	 "PROFSHIM_SNAPSHOT_AT names a function that no recorded object has.",
	 "Write it as the linker knows it (nm ./app), or a C++ name without its "
	 "parameters; "
	 "an inlined or stripped function cannot be found."},
	{"note_gave_up_privileges", PLAIN, NULL, "a process changed its user",
	 "A process became another user than the one who records; its part of the "
	 "recording moved into a file of its own before.",
	 "Nothing has to be done; docs/security.md says what that protects."},
	{"note_not_apart", MINOR, NULL, "a process with another user shares memory",
	 "A process became another user and still shares the recording's memory with "
	 "processes that did not: whoever takes it over can write over their numbers.",
	 "Record only programs whose workers you trust in this way; docs/security.md "
	 "says "
	 "when it happens."},
	{"note_own_hooks", MINOR, NULL, "the program has its own hooks",
	 "The program defines __cyg_profile_func_enter itself, so its calls do not reach "
	 "the shim.",
	 "Link it without those functions for the recording."},
	{"note_sealed", LOST, NULL, "the program sandboxed itself",
	 "The program forbade itself system calls (seccomp), so the recording could not "
	 "grow any more: from then on new call paths fold into their callers, and new "
	 "threads and children are not recorded.",
	 "Record it with its sandbox switched off to see the rest."},
};

static const struct item *find_item(const char *name)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (strcmp(items[i].name, name) == 0)
			return &items[i];
	return NULL;
}

bool trust_is_loss(const char *name)
{
	const struct item *item = find_item(name);

	return item && item->weight == LOST;
}

void trust_signal_name(struct strbuf *buffer, int signal_number)
{
	const char *name = sigabbrev_np(signal_number);

	if (name)
		strbuf_printf(buffer, "SIG%s", name);
	else
		strbuf_printf(buffer, "signal %d", signal_number);
}

void trust_describe_end(struct strbuf *buffer, const struct run_facts *facts)
{
	if (facts->is_live) {
		strbuf_puts(buffer, "still running");
	} else if (facts->has_exit_signal) {
		strbuf_puts(buffer, "killed by ");
		trust_signal_name(buffer, (int)facts->exit_signal);
	} else if (facts->has_exit_code) {
		strbuf_printf(buffer, "exit %lld", (long long)facts->exit_code);
	} else {
		strbuf_puts(buffer, "how it ended is not known");
	}
}

static bool counts(const struct item *item, int64_t value)
{
	return value != 0 && (!item || (item->weight > PLAIN && item->many));
}

static void add_part(struct strbuf *parts, const struct item *item, const char *name,
		     int64_t value)
{
	strbuf_puts(parts, "; ");
	if (!item) {
		units_count(parts, value);
		strbuf_putc(parts, ' ');
		utf8_clean(parts, name);
	} else if (!item->one) {
		strbuf_puts(parts, item->many);
	} else {
		units_count(parts, value);
		strbuf_printf(parts, " %s", value == 1 ? item->one : item->many);
	}
}

/* What the counters say, for line and section. */
struct judgement {
	enum weight worst;
	struct strbuf parts; /* each begins with "; " */
};

static enum exit_status judge(struct report_input *input, struct doc *doc,
			      struct section *section, struct judgement *judgement)
{
	struct cursor *cursor;
	int result;

	if (report_query(input, trust_sql_counters, &cursor) < 0)
		return STATUS_FAILED;
	while ((result = cursor_next(cursor)) > 0) {
		const char *name = cursor_text(cursor, 0);
		int64_t value = cursor_integer(cursor, 1);
		const struct item *item = name ? find_item(name) : NULL;

		if (!name)
			continue;
		doc_add(section, doc_copy(doc, name), NULL, COLUMN_ANY,
			cell_integer(value));
		if (!counts(item, value))
			continue;
		if (!item || item->weight > judgement->worst)
			judgement->worst = item ? item->weight : MINOR;
		add_part(&judgement->parts, item, name, value);
	}
	cursor_close(cursor);
	return result < 0 ? report_fail_db(input) : STATUS_OK;
}

static const char *verdict(const struct run_facts *facts,
			   const struct judgement *judgement)
{
	if (facts->is_live)
		return "live";
	if (run_facts_empty(facts))
		return "empty";
	if (judgement->worst == LOST)
		return "partial";
	if (!facts->complete)
		return "incomplete";
	return judgement->worst == REPAIRED ? "repaired" : "exact";
}

static void write_line(struct strbuf *line, const struct run_facts *facts,
		       const struct judgement *judgement)
{
	strbuf_printf(line, "trust: %s: ", verdict(facts, judgement));
	if (facts->calls || !facts->alloc_count)
		units_counted(line, facts->calls, "call");
	if (facts->calls && facts->alloc_count)
		strbuf_puts(line, " and ");
	if (facts->alloc_count)
		units_counted(line, facts->alloc_count, "allocation");
	if (judgement->worst < LOST && facts->complete && !run_facts_empty(facts))
		strbuf_puts(line, ", nothing lost");
	if (!facts->complete) {
		strbuf_puts(line, "; ");
		if (facts->has_exit_code && !facts->has_exit_signal && !facts->is_live)
			strbuf_puts(line, "not every process ended by itself");
		else
			trust_describe_end(line, facts);
	}
	strbuf_puts(line, strbuf_text(&judgement->parts));
}

enum exit_status trust_add(struct report_input *input, struct doc *doc,
			   const struct run_facts *facts)
{
	struct section *section = doc_values(doc, "trust", NULL);
	struct judgement judgement = {0};
	struct strbuf line = {0};
	enum exit_status status = judge(input, doc, section, &judgement);
	const char *word = verdict(facts, &judgement);

	if (status == STATUS_OK) {
		write_line(&line, facts, &judgement);
		section->flags = SECTION_MACHINE;
		doc_add_text(doc, section, "verdict", NULL, word);
		section = doc_note(doc, "trust_line",
				   strcmp(word, "exact") == 0 ? NOTE_GOOD : NOTE_WARNING,
				   strbuf_text(&line), NULL);
		section->flags = SECTION_HUMAN;
	}
	strbuf_free(&line);
	strbuf_free(&judgement.parts);
	return status;
}

/* "name (value)" above the explanation, so that it can be found in trust. */
static void explain_item(struct doc *doc, const struct item *item, int64_t value,
			 const char *text)
{
	struct strbuf sentence = {0};

	if (item->one) {
		units_count(&sentence, value);
		strbuf_printf(&sentence, " %s. ", value == 1 ? item->one : item->many);
	}
	strbuf_puts(&sentence, item->explanation);
	/* Only these have a text that says more than the explanation. */
	if (text && (strcmp(item->name, "note_setting_ignored") == 0 ||
		     strcmp(item->name, "modules_over_limit") == 0 ||
		     strcmp(item->name, "lost_processes") == 0)) {
		strbuf_puts(&sentence, " (");
		utf8_clean(&sentence, text);
		strbuf_putc(&sentence, ')');
	}
	doc_note(doc, item->name, item->weight >= REPAIRED ? NOTE_WARNING : NOTE_PLAIN,
		 strbuf_text(&sentence), item->advice);
	strbuf_free(&sentence);
}

static enum exit_status explain_counters(struct report_input *input, struct doc *doc,
					 size_t *ret_count)
{
	struct cursor *cursor;
	int result;

	if (report_query(input, trust_sql_counters, &cursor) < 0)
		return STATUS_FAILED;
	while ((result = cursor_next(cursor)) > 0) {
		const char *name = cursor_text(cursor, 0);
		int64_t value = cursor_integer(cursor, 1);
		const struct item *item = name ? find_item(name) : NULL;

		if (!value || !item || !item->explanation)
			continue;
		explain_item(doc, item, value, cursor_text(cursor, 2));
		++*ret_count;
	}
	cursor_close(cursor);
	return result < 0 ? report_fail_db(input) : STATUS_OK;
}

static enum exit_status explain_ends(struct report_input *input, struct doc *doc,
				     size_t *ret_count)
{
	struct strbuf sentence = {0};
	struct cursor *cursor;
	int result;

	if (report_query(input, trust_sql_ends, &cursor) < 0)
		return STATUS_FAILED;
	while ((result = cursor_next(cursor)) > 0) {
		const char *executable = cursor_text(cursor, 1);
		int signal_number = (int)cursor_integer(cursor, 3);

		strbuf_reset(&sentence);
		strbuf_printf(&sentence, "Process %lld",
			      (long long)cursor_integer(cursor, 0));
		if (executable) {
			strbuf_puts(&sentence, " (");
			utf8_clean(&sentence, executable);
			strbuf_puts(&sentence, ")");
		}
		if (signal_number) {
			strbuf_puts(&sentence, " was killed by ");
			trust_signal_name(&sentence, signal_number);
			strbuf_putc(&sentence, '.');
		} else {
			strbuf_puts(&sentence, " did not end by itself, or its end was "
					       "not seen.");
		}
		doc_note(doc, "process_end", NOTE_WARNING, strbuf_text(&sentence),
			 "Everything up to that moment is there; calls that were open "
			 "then are closed at that time.");
		++*ret_count;
	}
	cursor_close(cursor);
	strbuf_free(&sentence);
	return result < 0 ? report_fail_db(input) : STATUS_OK;
}

enum exit_status trust_explain(struct report_input *input, struct doc *doc,
			       const struct run_facts *facts, size_t *ret_count)
{
	enum exit_status status = explain_counters(input, doc, ret_count);

	if (status == STATUS_OK && !facts->complete && !facts->is_live)
		status = explain_ends(input, doc, ret_count);
	return status;
}
