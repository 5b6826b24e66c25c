/* SPDX-License-Identifier: MIT */
/*
 * The steps of a run as a part of the report: a row for each name. Must not print; say
 * anything when the run has no steps.
 */
#include "analyzer/reports/steps/parts.h"

#include "analyzer/reports/common.h"

#include "steps.sql.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column columns[] = {
	{"step_count", "count", COLUMN_COUNT, COLUMN_KEEP},
	{"rate", "per second", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"per_second", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"per_hour", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p50_ns", "median", COLUMN_NSEC, COLUMN_KEEP},
	{"p99_ns", "p99", COLUMN_NSEC, COLUMN_KEEP},
	{"max_ns", "max", COLUMN_NSEC, 0},
	{"drift", "drift", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"drift_percent", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"total_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"timed_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"growth_bytes", NULL, COLUMN_BYTES_CHANGE, COLUMN_MACHINE},
	{"first_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"last_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"name", "step", COLUMN_NAME, COLUMN_KEEP},
	{"series_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column span_columns[] = {
	{"series_id", NULL, COLUMN_ID, 0},
	{"value_count", NULL, COLUMN_COUNT, 0},
	{"sum", NULL, COLUMN_ANY, 0},
};

enum exit_status steps_add_brief(struct report_input *input, struct doc *doc,
				 size_t limit)
{
	struct table *table =
		report_table(input, steps_sql_steps, columns, COUNT(columns));
	struct table *spans = report_table(input, steps_sql_step_spans, span_columns,
					   COUNT(span_columns));
	enum exit_status status = table && spans ? STATUS_OK : STATUS_FAILED;

	for (size_t i = 0; !status && i < table->row_count; i++) {
		steps_set_rate(table, i,
			       cell_number(table_cell(table, i, "timed_count")));
		steps_set_drift(table, i, spans);
	}
	table_free(spans);
	if (status || !table->row_count) {
		table_free(table);
		return status;
	}
	table_sort(table, table_column(table, "total_ns"), table_column(table, "name"));
	report_add_table(doc, "steps", "Steps", table, limit, "step", NULL, NULL);
	return STATUS_OK;
}
