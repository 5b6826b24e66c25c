/* SPDX-License-Identifier: MIT */
/* Slow calls, one by one: when, on which thread, and what they did. */
#include "analyzer/reports/timeline/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"

#include "lanes.sql.h"

#define DEFAULT_ROWS 15
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column columns[] = {
	{"span_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"started_ns", "at", COLUMN_NSEC, COLUMN_KEEP},
	{"duration_ns", "took", COLUMN_NSEC, COLUMN_KEEP},
	{"call_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"cpu_ns", "computing", COLUMN_NSEC, 0},
	{"ready_ns", "ready", COLUMN_NSEC, 0},
	{"blocked_ns", "blocked", COLUMN_NSEC, COLUMN_KEEP},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"ended", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"pid", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"tid", "tid", COLUMN_ID, 0},
	{"thread", "thread", COLUMN_TEXT, 0},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"thread_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"lane_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static int load_facts(struct report_input *input, struct timeline_facts *facts)
{
	struct cursor *cursor = report_query(input, lanes_sql_facts);

	if (cursor_next(cursor) > 0) {
		facts->floor_ns = cursor_is_null(cursor, "floor_ns")
					  ? -1
					  : cursor_integer(cursor, "floor_ns");
		facts->complete_ns = cursor_integer(cursor, "complete_ns");
		facts->kept_count = cursor_integer(cursor, "kept_count");
		facts->dropped_count = cursor_integer(cursor, "dropped_count");
		facts->thread_ns = cursor_integer(cursor, "thread_ns");
		facts->process_count = cursor_integer(cursor, "process_count");
	}
	return report_finish(input, cursor);
}

static void add_kept(struct doc *doc, struct section *values,
		     const struct timeline_facts *facts)
{
	struct strbuf text = {0};

	units_counted(&text, facts->kept_count, "call");
	strbuf_puts(&text, " and steps of ");
	units_nsec(&text, facts->floor_ns);
	strbuf_puts(&text, " and longer");
	if (facts->thread_ns > 0) {
		strbuf_puts(&text, ", ");
		units_real(&text, (double)(int64_t)((double)facts->kept_count * 1e9 /
							    (double)facts->thread_ns +
						    0.5));
		strbuf_puts(&text, " per second and thread");
	}
	doc_add_human(doc, values, "kept", strbuf_text(&text));
	if (facts->complete_ns > facts->floor_ns) {
		strbuf_reset(&text);
		strbuf_puts(&text, "those of ");
		units_nsec(&text, facts->complete_ns);
		strbuf_puts(&text, " and longer; of shorter ones the longest, and some "
				   "of each part of the run");
		doc_add_human(doc, values, "all of", strbuf_text(&text));
	}
	strbuf_free(&text);
}

static void add_head(struct doc *doc, const struct timeline_facts *facts)
{
	struct section *values = doc_values(doc, "timeline", NULL);
	struct strbuf text = {0};

	units_nsec(&text, facts->from_ns);
	strbuf_puts(&text, " to ");
	units_nsec(&text, facts->to_ns);
	doc_add_human(doc, values, "shown", strbuf_text(&text));
	strbuf_free(&text);
	doc_add_machine(values, "from_ns", COLUMN_NSEC, cell_integer(facts->from_ns));
	doc_add_machine(values, "to_ns", COLUMN_NSEC, cell_integer(facts->to_ns));
	doc_add_machine(values, "span_floor_ns", COLUMN_NSEC,
			cell_integer(facts->floor_ns));
	doc_add_machine(values, "spans_complete_ns", COLUMN_NSEC,
			cell_integer(facts->complete_ns));
	doc_add_machine(values, "kept_count", COLUMN_COUNT,
			cell_integer(facts->kept_count));
	doc_add_machine(values, "dropped_count", COLUMN_COUNT,
			cell_integer(facts->dropped_count));
	add_kept(doc, values, facts);
}

/* Which calls cannot be here. */
static void note_counted(struct doc *doc, const struct run_facts *run)
{
	struct strbuf text = {0};

	if (!run->sampled_count && !run->counted_count)
		return;
	units_counted(&text, run->sampled_count + run->counted_count, "function");
	strbuf_puts(&text, " kept the budget by being only counted most of the time or "
			   "always: their calls are here only when they were timed.");
	doc_note(doc, "counted_calls", NOTE_PLAIN, strbuf_text(&text),
		 "PROFSHIM_LEVEL=exact times every call.");
	strbuf_free(&text);
}

static struct table *load_calls(struct report_input *input,
				const struct timeline_facts *facts)
{
	struct table *table =
		report_fill(input, timeline_query(input, lanes_sql_slow, facts),
			    table_new(columns, COUNT(columns)));
	size_t kept = 0;

	if (!table || !filter_is_active(&input->filter))
		return table;
	for (size_t i = 0; i < table->row_count; i++) {
		const char *name = table_cell(table, i, "name")->text;

		if (!filter_passes_name(&input->filter, name ? name : ""))
			continue;
		for (size_t column = 0; column < table->column_count; column++)
			table_row(table, kept)[column] = table_row(table, i)[column];
		kept++;
	}
	table->row_count = kept;
	return table;
}

static enum exit_status show(struct report_input *input, struct doc *doc,
			     const struct timeline_facts *facts, unsigned flags)
{
	struct table *table = load_calls(input, facts);
	enum exit_status status;

	if (!table)
		return STATUS_FAILED;
	status = timeline_add_lanes(input, doc, facts, table);
	if (status == STATUS_OK)
		status = timeline_add_paths(input, doc, table);
	if (status == STATUS_OK)
		status = report_sort(input, table, "duration_ns", "span_id");
	if (status) {
		table_free(table);
		return status;
	}
	report_add_table(doc, "spans", "The longest", table,
			 report_limit(input, DEFAULT_ROWS), "call", NULL, NULL)
		->flags = flags;
	return STATUS_OK;
}

enum exit_status timeline_add_brief(struct report_input *input, struct doc *doc,
				    const struct run_facts *run)
{
	struct timeline_facts facts = {.floor_ns = -1, .to_ns = run->wall_ns};

	if (load_facts(input, &facts) < 0)
		return STATUS_FAILED;
	return facts.floor_ns > 0 ? show(input, doc, &facts, 0) : STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts run;
	struct timeline_facts facts = {.floor_ns = -1};
	enum exit_status status = report_open(input, doc, &run);

	if (status == STATUS_OK)
		status = timeline_range(input, run.wall_ns, &facts);
	if (status)
		return status;
	if (load_facts(input, &facts) < 0)
		return STATUS_FAILED;
	if (facts.floor_ns <= 0) {
		doc_note(doc, "no_spans", NOTE_WARNING, "No call was kept with its time.",
			 facts.floor_ns < 0 ? "Record again with this profshim."
					    : "Record again without PROFSHIM_SPANS=off.");
		return STATUS_NOTHING;
	}
	add_head(doc, &facts);
	note_counted(doc, &run);
	return show(input, doc, &facts, SECTION_MAIN);
}

const struct report report_timeline = {
	.name = "timeline",
	.summary = "long calls, steps and waits over time, by thread",
	.description =
		"Calls and steps that took long were kept one by one while the program "
		"ran "
		"(PROFSHIM_SPANS, 10us unless there were too many). Of each thread they "
		"stand in a row for each level of calls, drawn by what most of the call "
		"was: computing, ready (waiting for a CPU), or blocked; below it its "
		"steps, then what it waited for others, and snapshots. Where several lie "
		"in one column the longest is seen: --from and --to look closer; "
		"--format html draws more. Then "
		"slow calls by call path, and the longest one by one. Times are as the "
		"clock said, with the cost of hooks. "
		"Calls "
		"of functions that were only counted to keep a budget are not there. A "
		"call that was left by a jump or an exception, or was open at the end of "
		"its process, has that in the column ended (json, csv).",
	.example = "prof-analyze timeline run.db --from 1.2s --to 1.3s",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_THREAD |
		 TAKES_RANGE,
	.build = build,
};
