/* SPDX-License-Identifier: MIT */
/*
 * Tables of the samples that programs without hooks have, each number with what chance
 * alone makes of it.
 */
#include "analyzer/reports/sampled/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "common/samples/poisson.h"

#include "sampled.sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column function_columns[] = {
	{"self_cpu_percent", "self %", COLUMN_PERCENT, COLUMN_KEEP},
	{"self_cpu_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"cpu_ns", "CPU", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"count", "samples", COLUMN_COUNT, 0},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"module", "in", COLUMN_FILE, 0},
	{"file", NULL, COLUMN_FILE, COLUMN_MACHINE},
	{"line", NULL, COLUMN_COUNT, COLUMN_MACHINE},
};

static const struct column module_columns[] = {
	{"self_cpu_percent", "self %", COLUMN_PERCENT, COLUMN_KEEP},
	{"self_cpu_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"cpu_ns", "CPU", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"count", "samples", COLUMN_COUNT, 0},
	{"module", "file", COLUMN_FILE, COLUMN_KEEP},
};

static const struct column line_columns[] = {
	{"self_cpu_percent", "self %", COLUMN_PERCENT, COLUMN_KEEP},
	{"self_cpu_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"cpu_ns", "CPU", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"count", "samples", COLUMN_COUNT, 0},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"file", "file", COLUMN_FILE, COLUMN_KEEP},
	{"line", "line", COLUMN_ID, COLUMN_KEEP},
};

/* Half of the interval, for a time that so many samples stand for. */
static double chance(double count, double ns)
{
	return count > 0 ? (poisson_high(count) - poisson_low(count)) / 2 * ns / count
			 : 0;
}

static void compute(struct table *table, double all_ns)
{
	for (size_t i = 0; i < table->row_count; i++) {
		double ns = cell_number(table_cell(table, i, "cpu_ns"));
		double count = cell_number(table_cell(table, i, "count"));
		double error_ns = chance(count, ns);

		*table_cell(table, i, "self_cpu_percent") =
			cell_real(units_share(ns, all_ns));
		*table_cell(table, i, "self_cpu_error_percent") =
			cell_real(units_share(error_ns, all_ns));
		*table_cell(table, i, "cpu_error_ns") =
			cell_integer(whole_number(error_ns));
	}
}

struct part {
	const char *name, *title, *noun, *sql;
	const struct column *columns;
	size_t column_count, row_count;
	unsigned flags;
};

/* *all_ns: of the first table, which has all samples; 0: it is the first. */
static enum exit_status add(struct report_input *input, struct doc *doc,
			    const struct part *part, double *all_ns)
{
	struct table *table =
		report_table(input, part->sql, part->columns, part->column_count);

	if (!table)
		return STATUS_FAILED;
	if (!table->row_count) {
		table_free(table);
		return STATUS_OK;
	}
	if (*all_ns <= 0)
		*all_ns = table_sum(table, "cpu_ns");
	compute(table, *all_ns);
	report_add_table(doc, part->name, part->title, table, part->row_count, part->noun,
			 "cpu_ns", "the CPU time")
		->flags = part->flags;
	return STATUS_OK;
}

static void add_note(struct doc *doc, const struct run_facts *facts)
{
	struct strbuf text = {0};

	units_counted(&text, facts->plain_sample_count, "sample");
	strbuf_puts(&text, " of the CPU time of programs without hooks, in user mode: +- "
			   "is what chance alone makes of so many, at 95 %.");
	doc_note(doc, "sampled_note", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

enum exit_status sampled_add(struct report_input *input, struct doc *doc,
			     const struct run_facts *facts, size_t limit)
{
	const struct part parts[] = {
		{"sampled_functions", "Where the CPU time went, by samples", "function",
		 sampled_sql_functions, function_columns, COUNT(function_columns), limit,
		 facts->calls ? 0 : SECTION_MAIN},
		{"sampled_modules", "By file", "file", sampled_sql_modules,
		 module_columns, COUNT(module_columns), limit / 2, 0},
		{"sampled_lines", "By line", "line", sampled_sql_lines, line_columns,
		 COUNT(line_columns), limit / 2, 0},
	};
	enum exit_status status = STATUS_OK;
	double all_ns = 0;

	if (!facts->plain_sample_count)
		return STATUS_OK;
	for (size_t i = 0; i < COUNT(parts) && status == STATUS_OK; i++)
		status = add(input, doc, &parts[i], &all_ns);
	if (status == STATUS_OK)
		add_note(doc, facts);
	return status;
}
