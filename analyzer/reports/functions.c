/* SPDX-License-Identifier: MIT */
/* The flat table of functions. */
#include "analyzer/reports/functions.h"

#include "common/base/xalloc.h"
#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#include "functions.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20

static const struct column columns[] = {
	{"self_percent", "self %", COLUMN_PERCENT, 0},
	{"self_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"rank", "rank", COLUMN_COUNT, COLUMN_MACHINE},
	{"self_cpu_ns", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"self_ns", NULL, COLUMN_ANY, 0},
	{"self_ready_ns", NULL, COLUMN_ANY, 0},
	{"self_blocked_ns", NULL, COLUMN_ANY, 0},
	{"raw_self_ns", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"total_ns", NULL, COLUMN_ANY, 0},
	{"raw_total_ns", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"calls", NULL, COLUMN_ANY, COLUMN_KEEP},
	{"average_ns", "avg", COLUMN_NSEC, COLUMN_MACHINE},
	{"min_ns", NULL, COLUMN_ANY, 0},
	{"p50_ns", NULL, COLUMN_ANY, 0},
	{"p90_ns", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p95_ns", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p99_ns", NULL, COLUMN_ANY, 0},
	{"max_ns", NULL, COLUMN_ANY, 0},
	{"owned_alloc_count", "allocs", COLUMN_COUNT, 0},
	{"owned_alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"alloc_count", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"alloc_bytes", NULL, COLUMN_ANY, COLUMN_MACHINE},
	TABLE_OTHERS,
	{"recording", "timed", COLUMN_TEXT, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"file", "where", COLUMN_LOCATION, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"full_name", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"linkage_name", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"module", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"component", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"timed_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
};

/* What a thread has of the function; what is kept for the whole run only is unknown. */
static void put_thread(struct table *table, size_t row,
		       const struct calltree_total *total)
{
	const struct quantity_list *list = &quantity_lists[QUANTITY_OF_FUNCTION];
	int64_t values[QUANTITY_COUNT_FUNCTION];

	for (size_t i = 0; i < list->count; i++) {
		enum quantity_number number = list->numbers[i];

		values[i] = QUANTITY_UNKNOWN;
		if (quantity_is_in(QUANTITY_OF_LANE, number))
			values[i] = total->quantities[quantity_place(QUANTITY_OF_TREE,
								     number)];
	}
	table_put_quantities(table, row, QUANTITY_OF_FUNCTION, values);
}

/* What is owned of a thread's allocations is not kept: it follows from its paths. */
static void own_of_thread(struct table *table, const struct calltree *tree)
{
	int64_t *counts = xcalloc(tree->function_count + 1, sizeof(*counts));
	int64_t *bytes = xcalloc(tree->function_count + 1, sizeof(*bytes));

	for (uint32_t i = 0; i < tree->node_count; i++) {
		uint32_t function = tree->nodes[calltree_owner(tree, i)].function;

		if (function == CALLTREE_NONE)
			continue;
		counts[function] += tree->nodes[i].alloc_count;
		bytes[function] += tree->nodes[i].alloc_bytes;
	}
	for (size_t i = 0; i < table->row_count; i++) {
		uint32_t function = calltree_function(
			tree, table_cell(table, i, "function_id")->integer);

		if (function == CALLTREE_NONE)
			continue;
		*table_cell(table, i, "owned_alloc_count") =
			cell_integer(counts[function]);
		*table_cell(table, i, "owned_alloc_bytes") =
			cell_integer(bytes[function]);
	}
	free(counts);
	free(bytes);
}

/* Replaces the run's numbers by those of the thread, and returns its self time. */
static int64_t take_thread(struct report_input *input, struct table *table)
{
	struct calltree *tree = report_tree_load(input);
	struct calltree_total *totals;
	bool *keep;
	int64_t self_ns;

	if (!tree)
		return -1;
	totals = calltree_by_function(tree);
	keep = xcalloc(table->row_count, sizeof(*keep));
	for (size_t i = 0; i < table->row_count; i++) {
		uint32_t number = calltree_function(
			tree, table_cell(table, i, "function_id")->integer);
		const struct calltree_total *total = &totals[number];

		if (number == CALLTREE_NONE)
			continue;
		keep[i] = total->calls || total->alloc_count;
		put_thread(table, i, total);
	}
	own_of_thread(table, tree);
	self_ns = calltree_sum(tree).self_ns;
	table_filter(table, keep);
	free(keep);
	free(totals);
	calltree_free(tree);
	return self_ns;
}

/* Of a time that is not known there is no average. */
static struct cell average(double total_ns, double error_ns, double calls)
{
	if (!(calls > 0) || !units_is_known(total_ns, error_ns))
		return (struct cell){.kind = CELL_NULL};
	return cell_integer(whole_number(total_ns / calls));
}

static void compute_columns(struct table *table, bool raw, double all_self_ns,
			    bool folded)
{
	const char *self = raw ? "raw_self_ns" : "self_ns";
	const char *total = raw ? "raw_total_ns" : "total_ns";

	for (size_t i = 0; i < table->row_count; i++) {
		/* of a copy there is no total */
		double calls =
			cell_number(table_cell(table, i, "calls")) -
			(folded ? cell_number(table_cell(table, i, "inlined_calls")) : 0);
		double timed = cell_number(table_cell(table, i, "timed_calls"));
		struct cell *row = table_row(table, i);

		row[0] = cell_real(units_share(cell_number(table_cell(table, i, self)),
					       all_self_ns));
		/* What the clock said has no error. */
		*table_cell(table, i, "average_ns") = average(
			cell_number(table_cell(table, i, total)),
			raw ? 0 : cell_number(table_cell(table, i, "total_error_ns")),
			raw && timed < calls ? timed : calls);
		if (!raw)
			row[1] = cell_real(units_share(
				cell_number(table_cell(table, i, "self_error_ns")),
				all_self_ns));
	}
}

/* What was off, or counted and not timed, has no time: all of it is in its callers'. */
static void clear_untimed(struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *recording = table_cell(table, i, "recording");
		struct cell *row = table_row(table, i);

		if (recording->kind != CELL_TEXT ||
		    (strcmp(recording->text, "counted") != 0 &&
		     (strcmp(recording->text, "off") != 0 ||
		      cell_number(table_cell(table, i, "total_ns")) > 0)))
			continue;
		for (size_t j = 0; j < table->column_count; j++)
			if (table->columns[j].type == COLUMN_NSEC ||
			    table->columns[j].type == COLUMN_PERCENT)
				row[j] = (struct cell){.kind = CELL_NULL};
	}
}

/* How long single calls took is not known where they were only counted: those that were
 * timed come from before. */
static void clear_counted(struct table *table)
{
	static const char *const of_calls[] = {"min_ns", "p50_ns", "p90_ns",
					       "p95_ns", "p99_ns", "max_ns"};

	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *recording = table_cell(table, i, "recording");

		if (recording->kind != CELL_TEXT ||
		    (strcmp(recording->text, "counted") != 0 &&
		     strcmp(recording->text, "sampled") != 0))
			continue;
		for (size_t j = 0; j < sizeof(of_calls) / sizeof(of_calls[0]); j++)
			*table_cell(table, i, of_calls[j]) =
				(struct cell){.kind = CELL_NULL};
	}
}

static void apply_filter(struct report_input *input, struct table *table)
{
	bool *keep = xcalloc(table->row_count, sizeof(*keep));

	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *name = table_cell(table, i, "name");

		keep[i] = filter_passes_name(&input->filter,
					     name->kind == CELL_TEXT ? name->text : "?");
	}
	table_filter(table, keep);
	free(keep);
}

const char *functions_hot_column(const struct report_input *input,
				 const struct run_facts *facts)
{
	if (input->options->raw)
		return "raw_self_ns";
	return facts->is_split ? "self_cpu_ns" : "self_ns";
}

struct table *functions_table(struct report_input *input, const struct run_facts *facts)
{
	bool raw = input->options->raw;
	double all_self_ns = (double)(raw ? facts->raw_self_ns : facts->self_ns);
	struct cursor *cursor = report_query(input, functions_sql_all);
	struct table *table;

	table = report_fill(input, cursor,
			    table_of(columns, sizeof(columns) / sizeof(columns[0]),
				     QUANTITY_OF_FUNCTION));
	if (!table)
		return NULL;
	if (input->options->thread) {
		all_self_ns = (double)take_thread(input, table);
		if (all_self_ns < 0) {
			table_free(table);
			return NULL;
		}
	}
	if (raw)
		table->columns[0].name = "raw_self_percent";
	compute_columns(table, raw, all_self_ns, !input->options->inlined);
	clear_untimed(table);
	clear_counted(table);
	if (filter_is_active(&input->filter))
		apply_filter(input, table);
	return table;
}

void functions_rank(struct table *table, const char *by)
{
	size_t leader = 0;

	for (size_t i = 0; i < table->row_count; i++) {
		double more = cell_number(table_cell(table, leader, by)) -
			      cell_number(table_cell(table, i, by));
		double error =
			hypot(cell_number(table_cell(table, leader, "self_error_ns")),
			      cell_number(table_cell(table, i, "self_error_ns")));

		if (table_cell(table, i, by)->kind == CELL_NULL)
			return;
		if (more > error)
			leader = i;
		*table_cell(table, i, "rank") = cell_integer((int64_t)leader + 1);
	}
}

bool functions_any_estimated(const struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++) {
		const struct cell *cell = table_cell(table, i, "recording");

		if (cell->kind == CELL_TEXT && strcmp(cell->text, "exact") != 0 &&
		    strcmp(cell->text, "unwound") != 0)
			return true;
	}
	return false;
}

bool functions_any_tied(const struct table *table)
{
	if (!functions_any_estimated(table))
		return false;
	for (size_t i = 0; i < table->row_count; i++)
		if (table_cell(table, i, "rank")->kind != CELL_NULL &&
		    cell_whole(table_cell(table, i, "rank")) != (int64_t)i + 1)
			return true;
	return false;
}

void functions_add_note(struct report_input *input, struct doc *doc,
			const struct table *table, bool has_durations)
{
	bool raw = input->options->raw, estimated = functions_any_estimated(table);
	const struct {
		bool is_said;
		const char *text;
	} sentences[] = {
		{raw && estimated,
		 "Raw times have the calls that were timed; where functions were only "
		 "counted, their time is in their callers'."},
		{!raw && functions_any_tied(table),
		 "Functions of one rank are in one another's error: which of them took "
		 "more is not known."},
		{has_durations && estimated,
		 "min to max are of the calls that were timed (timed_calls in JSON and "
		 "CSV); of counted functions they are not known."},
	};
	struct strbuf text = {0};

	for (size_t i = 0; i < sizeof(sentences) / sizeof(sentences[0]); i++)
		if (sentences[i].is_said)
			strbuf_printf(&text, "%s%s", text.size ? " " : "",
				      sentences[i].text);
	if (text.size)
		doc_note(doc, "estimates_explained", NOTE_PLAIN, strbuf_text(&text), NULL)
			->flags = SECTION_HUMAN;
	strbuf_free(&text);
}

static void show_columns(const struct report_input *input, struct table *table)
{
	struct strbuf shown = {0};

	if (input->options->raw)
		strbuf_puts(&shown, "raw_self_percent raw_self_ns raw_total_ns calls");
	else
		strbuf_puts(&shown, "self_percent self_ns total_ns calls");
	/* Percentiles are kept for the whole run, not for a thread. */
	strbuf_puts(&shown, input->options->thread ? " average_ns"
						   : " min_ns p50_ns p99_ns max_ns");
	strbuf_puts(&shown, " owned_alloc_count name file");
	for (size_t i = 0; i < quantity_lists[QUANTITY_OF_FUNCTION].count; i++) {
		const struct quantity *quantity =
			&quantities[quantity_lists[QUANTITY_OF_FUNCTION].numbers[i]];

		if (quantity->shown == QUANTITY_NONZERO)
			strbuf_printf(&shown, " %s", quantity->name);
	}
	if (!input->options->sort && !input->options->raw) {
		functions_rank(table, "self_ns");
		if (functions_any_tied(table))
			strbuf_puts(&shown, " rank");
	}
	if (functions_any_estimated(table)) {
		strbuf_puts(&shown, " recording");
		table->columns[table_column(table, "recording")].flags |= COLUMN_KEEP;
	}
	table_show(table, strbuf_text(&shown));
	table_hide_zeros(table);
	strbuf_free(&shown);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	bool raw = input->options->raw;
	struct run_facts facts;
	struct table *table;
	struct section *section;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	table = functions_table(input, &facts);
	if (!table)
		return STATUS_FAILED;
	status = report_sort(input, table,
			     facts.calls == 0 && facts.self_ns == 0 ? "alloc_bytes"
			     : raw				    ? "raw_self_ns"
								    : "self_ns",
			     "name");
	if (status) {
		table_free(table);
		return status;
	}
	show_columns(input, table);
	report_inlined_note(input, doc, &facts);
	section = report_add_table(doc, "functions", NULL, table,
				   report_limit(input, DEFAULT_ROWS), "function",
				   raw ? "raw_self_ns" : "self_ns", "self time");
	section->flags = SECTION_MAIN | SECTION_STACK;
	functions_add_note(input, doc, section->table, !input->options->thread);
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	return STATUS_OK;
}

const struct report report_functions = {
	.name = "functions",
	.summary = "flat table of functions: calls, times, allocations",
	.description =
		"Calls are exact, however the function was recorded. self is the time in "
		"the function itself, total "
		"includes "
		"what it called (outermost activations only, so recursion does not count "
		"twice), min to max are of single calls. The cost of the hooks is "
		"subtracted, from min to max that of the call's own hooks only. allocs "
		"are those the function owns: it made them itself (alloc_count in json), "
		"or libraries did on its behalf. --focus and --ignore "
		"choose by the function's own name. Of calls that the compiler has "
		"inlined, self and total are in the functions that have their code; "
		"--inlined shows them apart.",
	.example = "prof-analyze functions run.db --sort calls --limit 10",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_THREAD |
		 TAKES_INLINED | TAKES_RAW,
	.build = build,
};
