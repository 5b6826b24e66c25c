/* SPDX-License-Identifier: MIT */
/*
 * What this is:  the list of runs in a file.
 * Runs on:       prof-analyze, main thread.
 * Must not:      print.
 * See also:      runs.sql.
 */
#include "analyzer/reports/common.h"

#include "analyzer/reports/trust.h"

#include "runs.sql.h"

#include <string.h>

static const struct column columns[] = {
	{"run_id", "run", COLUMN_ID, COLUMN_KEEP},
	{"label", "label", COLUMN_TEXT, COLUMN_KEEP},
	{"started_utc", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"started", "started (UTC)", COLUMN_TEXT, COLUMN_HUMAN},
	{"wall_ns", "wall", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"peak_bytes", "peak", COLUMN_BYTES, 0},
	{"complete", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"exit_code", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"exit_signal", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"end", "ended", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"command", "command", COLUMN_TEXT, COLUMN_KEEP},
};

/* "2026-03-01 12:00" */
static struct cell start(struct table *table, const struct cell *utc)
{
	char text[17];

	if (utc->kind != CELL_TEXT || strlen(utc->text) < 16)
		return *utc;
	memcpy(text, utc->text, 16);
	text[16] = '\0';
	if (text[10] == 'T')
		text[10] = ' ';
	return table_text(table, text);
}

static struct cell end(struct table *table, size_t row)
{
	struct run_facts facts = {
		.complete = cell_number(table_cell(table, row, "complete")) != 0,
		.has_exit_code = table_cell(table, row, "exit_code")->kind != CELL_NULL,
		.exit_code = table_cell(table, row, "exit_code")->integer,
		.exit_signal = table_cell(table, row, "exit_signal")->integer,
	};
	struct strbuf text = {0};
	struct cell cell;

	facts.has_exit_signal =
		table_cell(table, row, "exit_signal")->kind == CELL_INTEGER &&
		facts.exit_signal != 0;
	if (facts.has_exit_signal)
		trust_signal_name(&text, (int)facts.exit_signal);
	else if (!facts.complete)
		strbuf_puts(&text, "incomplete");
	else if (facts.has_exit_code)
		trust_describe_end(&text, &facts);
	else
		strbuf_puts(&text, "?");
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct table *table = report_table(input, runs_sql_all, columns,
					   sizeof(columns) / sizeof(columns[0]));
	struct section *section;
	enum exit_status status;

	if (!table)
		return STATUS_FAILED;
	for (size_t i = 0; i < table->row_count; i++) {
		*table_cell(table, i, "started") =
			start(table, table_cell(table, i, "started_utc"));
		*table_cell(table, i, "end") = end(table, i);
	}
	if (input->options->sort) {
		status = report_sort(input, table, "run_id", "run_id");
		if (status) {
			table_free(table);
			return status;
		}
	}
	if (table->row_count == 0)
		doc_note(doc, "no_runs", NOTE_PLAIN, "The file holds no run.", NULL);
	section = report_add_table(doc, "runs", NULL, table, report_limit(input, 0),
				   "run", NULL, NULL);
	section->flags = SECTION_MAIN | (table->row_count ? 0 : SECTION_MACHINE);
	return STATUS_OK;
}

const struct report report_runs = {
	.name = "runs",
	.summary = "list of the runs in the file",
	.description =
		"One line for each recorded run, oldest first. Every other command "
		"takes the latest run unless --run names one by number or label.",
	.example = "prof-analyze runs run.db --format json",
	.takes = TAKES_LIMIT | TAKES_SORT,
	.build = build,
};
