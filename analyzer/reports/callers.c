/* SPDX-License-Identifier: MIT */
/* The callers and callees of one function. */
#include "analyzer/reports/names/callers_find.h"

#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#include "callers.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20

static const struct column columns[] = {
	{"total_percent", "total %", COLUMN_PERCENT, 0},
	{"total_ns", "total", COLUMN_NSEC, 0},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"inlined_calls", "inlined", COLUMN_COUNT, 0},
	{"ready_ns", "ready", COLUMN_NSEC, 0},
	{"blocked_ns", "blocked", COLUMN_NSEC, 0},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"total_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"total_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"cpu_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
};
enum {
	SHARE,
	TOTAL,
	CALLS,
	INLINED,
	READY,
	BLOCKED,
	NAME,
	FUNCTION_ID,
	ERROR,
	ERROR_SHARE,
	CPU
};

static struct table *new_table(void)
{
	return table_new(columns, sizeof(columns) / sizeof(columns[0]));
}

/* calls -1: not known. */
static void add_row(struct table *table, const char *name, int64_t function_id,
		    const struct calltree_total *total)
{
	struct cell *row = table_add_row(table);

	row[TOTAL] = cell_integer(total->total_ns);
	row[ERROR] = cell_integer(total->total_error_ns);
	row[CPU] = cell_integer(total->cpu_ns);
	row[READY] = cell_integer(total->ready_ns);
	row[BLOCKED] = cell_integer(total->blocked_ns);
	row[NAME] = table_text(table, name);
	if (total->calls >= 0) {
		row[CALLS] = cell_integer(total->calls);
		row[INLINED] = cell_integer(total->inlined_calls);
	}
	if (function_id)
		row[FUNCTION_ID] = cell_integer(function_id);
}

static void add_uninstrumented(struct table *callers, const struct calltree_total *total)
{
	if (total->calls > 0)
		add_row(callers, "(uninstrumented caller)", 0, total);
}

static void add_own_code(struct table *callees, const struct found_function *function)
{
	struct calltree_total own = {.calls = -1};

	if (!function->self_ns)
		return;
	own.total_ns = function->self_ns;
	own.total_error_ns = function->self_error_ns;
	own.ready_ns = function->self_ready_ns;
	own.blocked_ns = function->self_blocked_ns;
	own.cpu_ns = own.total_ns - own.ready_ns - own.blocked_ns;
	add_row(callees, "(self)", 0, &own);
}

static void set_shares(struct table *table, int64_t total_ns)
{
	for (size_t i = 0; i < table->row_count; i++) {
		struct cell *row = table_row(table, i);

		row[SHARE] = cell_real(
			units_share(cell_number(&row[TOTAL]), (double)total_ns));
		row[ERROR_SHARE] = cell_real(
			units_share(cell_number(&row[ERROR]), (double)total_ns));
	}
}

static struct table *edges_table(struct report_input *input, const char *sql,
				 int64_t function_id)
{
	struct cursor *cursor = report_query(input, sql);

	cursor_bind_integer(cursor, ":function", function_id);
	return report_fill(input, cursor, new_table());
}

/* Calls that come from nothing recorded: the roots of threads, mostly. */
static int add_roots(struct report_input *input, struct table *callers,
		     int64_t function_id)
{
	struct cursor *cursor = report_query(input, callers_sql_roots);
	struct calltree_total total = {.calls = 0};

	cursor_bind_integer(cursor, ":function", function_id);
	if (cursor_next(cursor) > 0)
		total = (struct calltree_total){
			.calls = cursor_integer(cursor, "calls"),
			.total_ns = cursor_integer(cursor, "total_ns"),
			.total_error_ns = cursor_integer(cursor, "total_error_ns"),
			.cpu_ns = cursor_integer(cursor, "cpu_ns"),
			.ready_ns = cursor_integer(cursor, "ready_ns"),
			.blocked_ns = cursor_integer(cursor, "blocked_ns"),
		};
	add_uninstrumented(callers, &total);
	return report_finish(input, cursor);
}

/* The same from the thread's own tree. */
static int thread_tables(struct report_input *input, struct found_function *function,
			 struct table *callers, struct table *callees)
{
	struct calltree *tree = report_tree_load(input);
	struct calltree_total *own, *from, *to;
	uint32_t number;

	if (!tree)
		return -1;
	number = calltree_function(tree, function->function_id);
	own = calltree_by_function(tree);
	from = calltree_neighbours(tree, number, true);
	to = calltree_neighbours(tree, number, false);
	for (size_t i = 0; i < tree->function_count; i++) {
		const struct calltree_function *other = &tree->functions[i];

		if (from[i].calls)
			add_row(callers, other->name, other->function_id, &from[i]);
		if (to[i].calls)
			add_row(callees, other->name, other->function_id, &to[i]);
	}
	if (number != CALLTREE_NONE) {
		struct calltree_total roots = {.calls = 0};

		for (uint32_t at = tree->first_root; at != CALLTREE_NONE;
		     at = tree->nodes[at].next)
			if (tree->nodes[at].function == number)
				quantities_add(QUANTITY_OF_TREE, roots.quantities,
					       QUANTITY_OF_TREE,
					       tree->nodes[at].quantities, 1);
		add_uninstrumented(callers, &roots);
		function->calls = own[number].calls;
		function->total_ns = own[number].total_ns;
		function->ready_ns = own[number].ready_ns;
		function->blocked_ns = own[number].blocked_ns;
		function->self_ready_ns = own[number].self_ready_ns;
		function->self_blocked_ns = own[number].self_blocked_ns;
		function->self_ns = own[number].self_ns;
		function->total_error_ns = own[number].total_error_ns;
		function->self_error_ns = own[number].self_error_ns;
		function->alloc_count = own[number].alloc_count;
		function->alloc_bytes = own[number].alloc_bytes;
	}
	free(own);
	free(from);
	free(to);
	calltree_free(tree);
	return 0;
}

/* "12.1%", or "<40.2%" of a time that is not known. */
static void put_share(struct strbuf *text, const struct found_function *function,
		      const struct run_facts *facts)
{
	double self_ns = (double)function->self_ns;
	double error_ns = (double)function->self_error_ns;

	if (!units_is_known(self_ns, error_ns)) {
		strbuf_putc(text, '<');
		self_ns += error_ns;
	}
	units_percent(text, fmin(100, units_share(self_ns, (double)facts->self_ns)));
}

static void add_function(struct doc *doc, const struct found_function *function,
			 const struct run_facts *facts)
{
	struct section *section = doc_values(doc, "function", function->name);
	struct strbuf text = {0};

	doc_add_machine(section, "name", COLUMN_TEXT,
			(struct cell){.kind = CELL_TEXT, .text = function->name});
	doc_add_machine(section, "function_id", COLUMN_ID,
			cell_integer(function->function_id));
	if (function->file) {
		struct cell place = {.kind = CELL_TEXT, .text = function->file};

		place.line = function->line;
		doc_add(section, "file", "defined", COLUMN_LOCATION, place);
	}
	doc_add(section, "calls", "calls", COLUMN_COUNT, cell_integer(function->calls));
	doc_add_machine(section, "total_ns", COLUMN_NSEC,
			cell_integer(function->total_ns));
	doc_add_machine(section, "self_ns", COLUMN_NSEC, cell_integer(function->self_ns));
	doc_add_machine(section, "total_error_ns", COLUMN_NSEC,
			cell_integer(function->total_error_ns));
	doc_add_machine(section, "self_error_ns", COLUMN_NSEC,
			cell_integer(function->self_error_ns));
	doc_add_machine(section, "recording", COLUMN_TEXT,
			(struct cell){.kind = CELL_TEXT, .text = function->recording});
	if (strcmp(function->recording, "exact") != 0)
		doc_add_human(doc, section, "timed", function->recording);
	units_nsec_error(&text, function->total_ns, function->total_error_ns,
			 UNITS_ERROR_SIGN);
	strbuf_puts(&text, ", self ");
	units_nsec_error(&text, function->self_ns, function->self_error_ns,
			 UNITS_ERROR_SIGN);
	strbuf_puts(&text, " (");
	put_share(&text, function, facts);
	strbuf_puts(&text, " of the run's self time)");
	doc_add_human(doc, section, "total", strbuf_text(&text));
	strbuf_reset(&text);
	doc_add_machine(section, "ready_ns", COLUMN_NSEC,
			cell_integer(function->ready_ns));
	doc_add_machine(section, "blocked_ns", COLUMN_NSEC,
			cell_integer(function->blocked_ns));
	if (function->ready_ns || function->blocked_ns) {
		strbuf_puts(&text, "ready ");
		units_nsec(&text, function->ready_ns);
		strbuf_puts(&text, ", blocked ");
		units_nsec(&text, function->blocked_ns);
		strbuf_puts(&text, ", of the total");
		doc_add_human(doc, section, "waits", strbuf_text(&text));
		strbuf_reset(&text);
	}
	doc_add_machine(section, "alloc_count", COLUMN_COUNT,
			cell_integer(function->alloc_count));
	doc_add_machine(section, "alloc_bytes", COLUMN_BYTES,
			cell_integer(function->alloc_bytes));
	if (function->alloc_count) {
		units_counted(&text, function->alloc_count, "allocation");
		strbuf_puts(&text, " of its own, ");
		units_bytes(&text, function->alloc_bytes);
		doc_add_human(doc, section, "memory", strbuf_text(&text));
	}
	strbuf_free(&text);
}

static enum exit_status add_neighbours(struct report_input *input, struct doc *doc,
				       struct table *table, const char *name,
				       const char *title, const char *noun,
				       int64_t total_ns)
{
	struct section *section;
	enum exit_status status;

	set_shares(table, total_ns);
	table_hide_zeros(table);
	for (size_t i = READY; i <= BLOCKED;
	     i++) /* of totals, which tables rarely show */
		if (!table_sum(table, columns[i].name))
			table->columns[i].flags |= COLUMN_MACHINE;
	status = report_sort(input, table, "total_ns", "name");
	if (status) {
		table_free(table);
		return status;
	}
	section = report_add_table(doc, name, title, table,
				   report_limit(input, DEFAULT_ROWS), noun, "calls",
				   "the calls");
	if (strcmp(name, "callers") == 0)
		section->flags = SECTION_MAIN;
	return STATUS_OK;
}

static void add_namesakes_note(struct doc *doc, const struct found_function *function)
{
	struct strbuf text = {0};

	if (!function->namesake_count)
		return;
	units_counted(&text, (int64_t)function->namesake_count, "other function");
	strbuf_puts(&text, " of this name; shown is the most called. '#ID' with a "
			   "function_id chooses another.");
	doc_note(doc, "namesakes", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct found_function function = {0};
	struct table *callers, *callees;
	struct run_facts facts;
	enum exit_status status = report_open(input, doc, &facts);

	if (status == STATUS_OK)
		status = callers_find(input, doc, input->options->argument, &function);
	if (status)
		return status;
	if (input->options->thread || input->options->inlined) {
		callers = new_table();
		callees = new_table();
		if (thread_tables(input, &function, callers, callees) < 0)
			status = STATUS_FAILED;
	} else {
		callers = edges_table(input, callers_sql_callers, function.function_id);
		callees = edges_table(input, callers_sql_callees, function.function_id);
		if (!callers || !callees ||
		    add_roots(input, callers, function.function_id) < 0)
			status = STATUS_FAILED;
	}
	if (status) {
		table_free(callers);
		table_free(callees);
		return status;
	}
	add_own_code(callees, &function);
	status = add_neighbours(input, doc, callers, "callers", "Callers", "caller",
				function.total_ns);
	if (status) {
		table_free(callees);
		return status;
	}
	add_function(doc, &function, &facts);
	add_namesakes_note(doc, &function);
	return add_neighbours(input, doc, callees, "callees", "Callees", "callee",
			      function.total_ns);
}

const struct report report_callers = {
	.name = "callers",
	.argument = "FUNC",
	.summary = "callers and callees of one function",
	.description =
		"Who calls FUNC and whom FUNC calls, with the calls and the time of "
		"each; "
		"shares are of FUNC's own total. FUNC is a name, with or without "
		"arguments and namespaces, a part of a name that fits one function only, "
		"or #ID.",
	.example = "prof-analyze callers run.db parse_record",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_INLINED | TAKES_SORT | TAKES_THREAD,
	.build = build,
};
