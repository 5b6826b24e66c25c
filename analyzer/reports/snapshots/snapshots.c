/* SPDX-License-Identifier: MIT */
/* The list of snapshots, and live memory over time as they saw it. */
#include "analyzer/reports/snapshots/find.h"

#include "common/base/xalloc.h"
#include "analyzer/model/delta.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"
#include "analyzer/statistics/leak_class.h"

#include "snapshots.sql.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PLOT_POINTS 60
#define PLOTS_MOST 8

static const struct column columns[] = {
	{"pid", "PID", COLUMN_ID, COLUMN_MACHINE},
	{"number", "no.", COLUMN_ID, COLUMN_KEEP},
	{"label", "label", COLUMN_TEXT, COLUMN_KEEP},
	{"taken_by", "taken by", COLUMN_TEXT, 0},
	{"time_ns", "time", COLUMN_NSEC, COLUMN_KEEP},
	{"live_bytes", "live", COLUMN_BYTES, COLUMN_KEEP},
	{"live_delta_bytes", "+live", COLUMN_BYTES_CHANGE, COLUMN_KEEP},
	{"live_count", "blocks", COLUMN_COUNT, COLUMN_KEEP},
	{"live_delta_count", "+blocks", COLUMN_COUNT_CHANGE, 0},
	{"rss_bytes", "RSS", COLUMN_BYTES, 0},
	{"alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"snapshot_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static void set_change(struct table *table, size_t row, bool is_first, const char *value,
		       const char *change)
{
	int64_t now = cell_whole(table_cell(table, row, value));
	int64_t before = is_first ? 0 : cell_whole(table_cell(table, row - 1, value));

	*table_cell(table, row, change) = cell_integer(delta_minus(now, before));
}

/* The rows of the processes that are wanted, with the change from the one before. */
static struct table *list_table(struct report_input *input,
				const struct snapshot_list *list)
{
	struct table *table = report_table(input, snapshots_sql_all, columns,
					   sizeof(columns) / sizeof(columns[0]));
	int64_t last_process = 0;
	bool *keep;

	if (!table)
		return NULL;
	keep = xcalloc(table->row_count + 1, sizeof(*keep));
	for (size_t i = 0; i < table->row_count; i++) {
		int64_t process = table_cell(table, i, "process_id")->integer;

		for (size_t j = 0; j < list->process_count; j++)
			keep[i] |= list->processes[j].process_id == process;
		set_change(table, i, !i || process != last_process, "live_bytes",
			   "live_delta_bytes");
		set_change(table, i, !i || process != last_process, "live_count",
			   "live_delta_count");
		last_process = process;
	}
	table_filter(table, keep);
	free(keep);
	return table;
}

/* Live bytes as of the latest snapshot at each moment; nothing before the first. */
static void add_plot(struct doc *doc, const struct snapshot_list *list,
		     const struct snapshot_process *process, bool several,
		     int64_t span_ns)
{
	double *points = xreallocarray(NULL, PLOT_POINTS, sizeof(*points)), peak = 0;
	struct section *section;
	size_t last_bin = 0;
	char title[32] = "live";

	for (size_t i = 0; i < PLOT_POINTS; i++)
		points[i] = NAN;
	for (size_t i = 0; i < process->count; i++) {
		const struct snapshot *snapshot = &list->snapshots[process->first + i];
		double live = (double)snapshot->live_bytes;
		double at = (double)snapshot->time_ns / (double)span_ns * PLOT_POINTS;
		size_t bin = at >= PLOT_POINTS ? PLOT_POINTS - 1
			     : at > 0	       ? (size_t)at
					       : 0;

		if (live > peak)
			peak = live;
		/* Two in one column: the higher shows. */
		for (size_t j = bin; j < PLOT_POINTS; j++)
			if (j > bin || i == 0 || bin != last_bin || !(points[j] >= live))
				points[j] = live;
		last_bin = bin;
	}
	/* Nothing is known after the last one. */
	for (size_t j = last_bin + 1; j < PLOT_POINTS; j++)
		points[j] = NAN;
	if (several)
		snprintf(title, sizeof(title), "%lld", (long long)process->pid);
	section = doc_plot(doc, "live_plot", doc_copy(doc, title), COLUMN_BYTES, points,
			   PLOT_POINTS);
	section->peak = peak;
	section->span_ns = span_ns;
}

static size_t processes_with_snapshots(const struct snapshot_list *list)
{
	size_t count = 0;

	for (size_t i = 0; i < list->process_count; i++)
		count += list->processes[i].count > 0;
	return count;
}

static void add_plots(struct doc *doc, const struct snapshot_list *list)
{
	size_t count = processes_with_snapshots(list), shown = 0;
	int64_t span_ns = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->snapshots[i].time_ns > span_ns)
			span_ns = list->snapshots[i].time_ns;
	for (size_t i = 0; span_ns && i < list->process_count && shown < PLOTS_MOST; i++)
		if (list->processes[i].count > 1) {
			add_plot(doc, list, &list->processes[i], count > 1, span_ns);
			shown++;
		}
}

/* For a trend. */
static bool has_enough(const struct snapshot_list *list)
{
	for (size_t i = 0; i < list->process_count; i++)
		if (list->processes[i].count >= LEAK_POINTS_LEAST)
			return true;
	return false;
}

static void add_none(struct doc *doc)
{
	doc_note(doc, "no_snapshots", NOTE_WARNING, "The run has no snapshots.",
		 "PROFSHIM_SNAPSHOT_EVERY=2s takes them while the program runs, "
		 "profshim_snapshot(\"label\") of profshim.h where it says so.");
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct snapshot_list list = {0};
	struct run_facts facts;
	struct table *table;
	struct section *section;
	size_t processes;
	enum exit_status status = report_open(input, doc, &facts);

	if (status == STATUS_OK)
		status = snapshot_list_load(input, &list);
	table = status ? NULL : list_table(input, &list);
	if (!status && !table)
		status = STATUS_FAILED;
	if (!status && input->options->sort)
		status = report_sort(input, table, "time_ns", "snapshot_id");
	if (status) {
		table_free(table);
		snapshot_list_free(&list);
		return status;
	}
	if (!table->row_count)
		add_none(doc);
	else
		add_plots(doc, &list);
	processes = processes_with_snapshots(&list);
	if (processes > 1)
		table->columns[table_column(table, "pid")].flags = COLUMN_KEEP;
	section =
		report_add_table(doc, "snapshots", table->row_count ? "Snapshots" : NULL,
				 table, report_limit(input, 0), "snapshot", NULL, NULL);
	section->flags = SECTION_MAIN | (table->row_count ? 0 : SECTION_MACHINE);
	if (has_enough(&list))
		doc_note(doc, "growth", NOTE_PLAIN,
			 "'prof-analyze leaks' tells which sites grew over them.", NULL);
	snapshot_list_free(&list);
	return processes ? STATUS_OK : STATUS_NOTHING;
}

const struct report report_snapshots = {
	.name = "snapshots",
	.summary = "the snapshots of a run and live memory at each",
	.description = "One line for each snapshot, in order: what was live, and how "
		       "much that is "
		       "more than at the one before (at the first: than nothing). The "
		       "plot holds "
		       "the value of the latest snapshot until the next.",
	.example = "prof-analyze snapshots run.db",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_PROCESS,
	.build = build,
};
