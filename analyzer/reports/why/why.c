/* SPDX-License-Identifier: MIT */
/* Why were the slow calls slow? */
#include "analyzer/reports/why/parts.h"

#include "analyzer/model/shorten.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/names/callers_find.h"
#include "analyzer/reports/open.h"
#include "analyzer/rundb/rundb.h"

#include "why.sql.h"

#include <string.h>

#define CANDIDATE_COLUMNS 48

static void add_head(const struct why_study *from, struct doc *doc)
{
	const struct study *study = &from->study;
	struct section *section = doc_values(doc, "study", from->name);
	struct strbuf text = {0};

	doc_add_machine(section, "name", COLUMN_TEXT,
			(struct cell){.kind = CELL_TEXT, .text = from->name});
	doc_add_machine(section, "kind", COLUMN_TEXT,
			(struct cell){.kind = CELL_TEXT, .text = from->kind});
	doc_add_machine(section, "function_id", COLUMN_ID,
			study->step ? (struct cell){.kind = CELL_NULL}
				    : cell_integer(from->function_id));
	doc_add(section, "calls", study->step ? "steps" : "calls", COLUMN_COUNT,
		cell_integer(from->calls));
	doc_add(section, "median_ns", "half of all take at most", COLUMN_NSEC,
		cell_integer(from->median_ns));
	doc_add(section, "slowest_ns", "the slowest took", COLUMN_NSEC,
		cell_integer(from->slowest_ns));
	units_counted(&text, (int64_t)study->slow_count,
		      study->step ? "slow step" : "slow call");
	strbuf_puts(&text, ", ");
	units_counted(&text, (int64_t)study->usual_count, "usual one");
	doc_add_human(doc, section, "kept", strbuf_text(&text));
	strbuf_free(&text);
	doc_add_machine(section, "slow_count", COLUMN_COUNT,
			cell_integer((int64_t)study->slow_count));
	doc_add_machine(section, "usual_count", COLUMN_COUNT,
			cell_integer((int64_t)study->usual_count));
	doc_add_machine(section, "missed_calls", COLUMN_COUNT,
			cell_integer(from->missed_calls));
	doc_add_machine(section, "ready_calls", COLUMN_COUNT,
			cell_integer(from->ready_calls));
	doc_add_machine(section, "ready_ns", COLUMN_NSEC, cell_integer(from->ready_ns));
	doc_add_machine(section, "folded_paths", COLUMN_COUNT,
			cell_integer(from->folded_paths));
	doc_add_machine(section, "cost_ns", COLUMN_NSEC, cell_integer(from->cost_ns));
}

/* What may be missing from the answer. */
static void add_notes(const struct why_study *from, struct doc *doc)
{
	struct strbuf text = {0};

	if (!from->study.slow_count)
		doc_note(doc, "none_slow", NOTE_PLAIN,
			 "None of the calls that were kept took twice as long as half of "
			 "all do, what they waited for a CPU left out.",
			 NULL);
	else if (!from->study.usual_count)
		doc_note(doc, "none_usual", NOTE_WARNING,
			 "No usual call was kept: all that the slow ones did is told as "
			 "if others did nothing.",
			 NULL);
	if (from->ready_calls) {
		units_counted(&text, from->ready_calls, "other call");
		strbuf_puts(&text, " took long only because they waited for a CPU, ");
		units_nsec(&text, from->ready_ns);
		strbuf_puts(&text, " in all: not kept.");
		doc_note(doc, "waited_for_cpu", NOTE_PLAIN, strbuf_text(&text), NULL);
		strbuf_reset(&text);
	}
	if (from->folded_paths) {
		units_counted(&text, from->folded_paths, "path");
		strbuf_puts(&text, " below it had no room: what they do but for the "
				   "first time is told as done by those above them.");
		doc_note(doc, "folded_paths", NOTE_WARNING, strbuf_text(&text), NULL);
	}
	strbuf_free(&text);
}

static const struct why_study *find(const struct why *why, int64_t function_id)
{
	for (size_t i = 0; i < why->count; i++)
		if (!why->all[i].study.step && why->all[i].function_id == function_id)
			return &why->all[i];
	return NULL;
}

/* Steps of this name, unless a studied function has it. */
static const struct why_study *find_step(const struct why *why, const char *name)
{
	const struct why_study *found = NULL;

	for (size_t i = 0; i < why->count; i++) {
		if (strcmp(why->all[i].name, name) != 0)
			continue;
		if (!why->all[i].study.step)
			return NULL;
		found = &why->all[i];
	}
	return found;
}

static enum exit_status show_found(struct report_input *input, struct doc *doc,
				   const struct why *why, const struct why_study *from)
{
	add_head(from, doc);
	add_notes(from, doc);
	return why_show_study(input, why, from, doc);
}

static enum exit_status show_function(struct report_input *input, struct doc *doc,
				      const struct why *why)
{
	const char *name = input->options->argument;
	const struct why_study *from = find_step(why, name);
	struct found_function function = {0};
	struct strbuf advice = {0};
	enum exit_status status;

	if (from)
		return show_found(input, doc, why, from);
	status = callers_find(input, doc, name, &function);
	if (status)
		return status;
	from = find(why, function.function_id);
	if (from)
		return show_found(input, doc, why, from);
	strbuf_puts(&advice, "Record with PROFSHIM_WHY=");
	strbuf_puts(&advice, function.name);
	strbuf_puts(&advice, "; `prof-analyze why` without a name lists what there is.");
	doc_note(doc, "not_studied", NOTE_WARNING,
		 "No single calls of this function were kept.", strbuf_text(&advice));
	strbuf_free(&advice);
	return STATUS_NOTHING;
}

/* "serve (48.6ms; half of all take at most 114ns), put (...): record with ...". */
static void put_candidates(struct report_input *input, struct strbuf *text)
{
	struct cursor *cursor = report_query(input, why_sql_candidates);
	struct strbuf command = {0};

	while (cursor_next(cursor) > 0) {
		const char *name = cursor_text(cursor, "name");

		if (!name)
			continue;
		strbuf_puts(text, command.size ? ", " : "Calls far longer than usual: ");
		shorten_name(text, name, CANDIDATE_COLUMNS, &shorten_ascii);
		strbuf_puts(text, " (");
		units_nsec(text, cursor_integer(cursor, "max_ns"));
		strbuf_puts(text, "; half of all take at most ");
		units_nsec(text, cursor_integer(cursor, "p50_ns"));
		strbuf_puts(text, ")");
		if (!command.size)
			shorten_name(&command, name, CANDIDATE_COLUMNS, &shorten_ascii);
	}
	cursor_close(cursor);
	if (command.size)
		strbuf_printf(text, ". Record with 'prof-record --why=\"%s\"'.",
			      strbuf_text(&command));
	else
		strbuf_puts(text, "Record with 'prof-record --why=FUNC'; 'functions' "
				  "shows the longest call of each.");
	strbuf_free(&command);
}

static enum exit_status show_all(struct report_input *input, struct doc *doc,
				 const struct why *why)
{
	struct strbuf advice = {0};

	if (why->count)
		return why_show_list(input, why, doc);
	put_candidates(input, &advice);
	doc_note(doc, "no_studies", NOTE_PLAIN,
		 "No single calls were kept: no function or step was named by "
		 "PROFSHIM_WHY, and none was slow now and then while the program ran.",
		 strbuf_text(&advice));
	strbuf_free(&advice);
	return STATUS_NOTHING;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	struct why why;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	report_counted_note(doc, &facts);
	status = why_load(input, doc, &why);
	if (status == STATUS_OK)
		status = input->options->argument ? show_function(input, doc, &why)
						  : show_all(input, doc, &why);
	why_done(&why);
	return status;
}

const struct report report_why = {
	.name = "why",
	.argument = "[FUNC]",
	.summary = "what slow calls did that usual ones did not",
	.description =
		"The slowest calls of FUNC beside usual ones. Why a call was slow is the "
		"innermost path that has more than half of what it took longer, and what "
		"happened there: it waited, nobody else goes there, it was called more "
		"often, it allocated far more, or it computed. of it is the share of the "
		"difference at and below that path. What a call waited for a CPU is in "
		"none of the times. The second table compares the mean slow call with "
		"the mean usual one, path by path below FUNC. FUNC is a name as of "
		"callers, or that of a step; without it those are listed whose calls "
		"were kept: those that PROFSHIM_WHY names, and up to four that are slow "
		"now and then.",
	.example = "prof-analyze why run.db handle",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_MAYBE,
	.build = build,
};
