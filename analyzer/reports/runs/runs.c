/* SPDX-License-Identifier: MIT */
/* The list of runs in a file. */
#include "analyzer/reports/common.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/runs/run_list.h"
#include "analyzer/reports/trust/facts.h"
#include "analyzer/reports/trust/trust.h"

#include "runs.sql.h"

#include <stdlib.h>
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
	{"job", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"rank", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"rank_count", NULL, COLUMN_ID, COLUMN_MACHINE},
};

/* For people a job is one line. */
static const struct column job_columns[] = {
	{"runs", "runs", COLUMN_TEXT, COLUMN_KEEP},
	{"label", "label", COLUMN_TEXT, COLUMN_KEEP},
	{"ranks", "ranks", COLUMN_TEXT, COLUMN_KEEP},
	{"started", "started (UTC)", COLUMN_TEXT, 0},
	{"wall_ns", "wall", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"peak_bytes", "peak", COLUMN_BYTES, 0},
	{"end", "ended", COLUMN_TEXT, COLUMN_KEEP},
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

static struct cell end(struct table *table, size_t row, bool is_live)
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
	if (is_live)
		strbuf_puts(&text, "running");
	else if (facts.has_exit_signal)
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

/* Adds what a rank took to the line of its job: they run side by side. */
static void add_rank(struct cell *line, const struct table *table, size_t run)
{
	static const char *const sums[] = {[5] = "calls", [6] = "peak_bytes"};
	const struct cell *wall = table_cell(table, run, "wall_ns");
	const struct cell *ended = table_cell(table, run, "end");

	if (cell_number(wall) > cell_number(&line[4]))
		line[4] = *wall;
	for (size_t i = 5; i <= 6; i++) {
		const struct cell *one = table_cell(table, run, sums[i]);
		int64_t sum = line[i].integer;

		if (one->kind == CELL_INTEGER &&
		    !__builtin_add_overflow(sum, one->integer, &sum))
			line[i] = cell_integer(sum);
	}
	/* what is not "exit 0" is told of any of them */
	if (ended->kind == CELL_TEXT && strcmp(ended->text, "exit 0") != 0)
		line[7] = *ended;
}

struct job_line {
	size_t row; /* of the table of jobs */
	size_t rank_count, first, last;
};

static void put_ranks(struct table *jobs, const struct table *table,
		      const struct job_line *line)
{
	int64_t wanted = table_cell(table, line->first, "rank_count")->integer;
	struct cell *row = table_row(jobs, line->row);
	struct strbuf text = {0};

	strbuf_printf(&text, "%lld",
		      (long long)table_cell(table, line->first, "run_id")->integer);
	if (line->last != line->first)
		strbuf_printf(
			&text, "%s%lld",
			line->last - line->first + 1 == line->rank_count ? "-" : "...",
			(long long)table_cell(table, line->last, "run_id")->integer);
	row[0] = table_text(jobs, strbuf_text(&text));
	strbuf_reset(&text);
	if (table_cell(table, line->first, "job")->kind == CELL_TEXT)
		strbuf_printf(&text, "%zu", line->rank_count);
	if (wanted > (int64_t)line->rank_count)
		strbuf_printf(&text, " of %lld", (long long)wanted);
	row[2] = table_text(jobs, text.size ? strbuf_text(&text) : NULL);
	strbuf_free(&text);
}

/* table: the runs, in the order of list. NULL on failure. */
static struct table *group_by_job(const struct run_list *list, const struct table *table)
{
	struct table *jobs =
		table_new(job_columns, sizeof(job_columns) / sizeof(job_columns[0]));
	struct job_line *lines = xcalloc(list->unit_count + 1, sizeof(*lines));
	size_t count = list->count < table->row_count ? list->count : table->row_count;

	for (size_t i = 0; i < count; i++) {
		struct job_line *line = &lines[list->runs[i].unit];

		if (!line->rank_count++) {
			struct cell *row = table_add_row(jobs);

			line->row = jobs->row_count - 1;
			line->first = i;
			for (size_t j = 1; j < jobs->column_count; j++)
				if (j != 2)
					row[j] = *table_cell(table, i,
							     job_columns[j].name);
		} else {
			add_rank(table_row(jobs, line->row), table, i);
		}
		line->last = i;
	}
	for (size_t i = 0; i < list->unit_count; i++)
		if (lines[i].rank_count)
			put_ranks(jobs, table, &lines[i]);
	free(lines);
	return jobs;
}

static bool has_job(const struct table *table)
{
	for (size_t i = 0; i < table->row_count; i++)
		if (table_cell(table, i, "job")->kind == CELL_TEXT)
			return true;
	return false;
}

/* Texts of the jobs are borrowed from table: both end with the document.
 * NULL on failure. */
static struct table *make_jobs(struct report_input *input, const struct table *table)
{
	struct run_list list;
	struct table *jobs = NULL;

	if (run_list_read(input, &list) == 0)
		jobs = group_by_job(&list, table);
	run_list_free(&list);
	return jobs;
}

/* Beside the stored runs, which are listed. */
static void add_running(struct report_input *input, struct doc *doc)
{
	struct strbuf text = {0};

	if (!rundb_running_pid(input->db))
		return;
	strbuf_printf(&text, "A further run is being recorded, of process %d.",
		      rundb_running_pid(input->db));
	doc_note(doc, "running", NOTE_PLAIN, strbuf_text(&text),
		 "It is what the other commands show now, unless --run names a stored "
		 "one.");
	strbuf_free(&text);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct table *table = report_table(input, runs_sql_all, columns,
					   sizeof(columns) / sizeof(columns[0]));
	struct table *jobs = NULL;
	struct section *section;
	enum exit_status status;

	if (!table)
		return STATUS_FAILED;
	for (size_t i = 0; i < table->row_count; i++) {
		*table_cell(table, i, "started") =
			start(table, table_cell(table, i, "started_utc"));
		*table_cell(table, i, "end") =
			end(table, i, rundb_live_pid(input->db) != 0);
	}
	if (input->options->sort) {
		status = report_sort(input, table, "run_id", "run_id");
		if (status) {
			table_free(table);
			return status;
		}
	}
	if (!input->options->sort && has_job(table)) {
		jobs = make_jobs(input, table);
		if (!jobs) {
			table_free(table);
			return STATUS_FAILED;
		}
	}
	add_running(input, doc);
	if (table->row_count == 0)
		doc_note(doc, "no_runs", NOTE_PLAIN, "The file holds no run.", NULL);
	section = report_add_table(doc, "runs", NULL, table, report_limit(input, 0),
				   "run", NULL, NULL);
	section->flags = SECTION_MAIN | (table->row_count ? 0 : SECTION_MACHINE);
	if (jobs) {
		section->flags |= SECTION_MACHINE;
		report_add_table(doc, "jobs", NULL, jobs, report_limit(input, 0), "job",
				 NULL, NULL)
			->flags = SECTION_HUMAN;
	}
	return STATUS_OK;
}

const struct report report_runs = {
	.name = "runs",
	.summary = "list of the runs in the file",
	.description =
		"One line for each recorded run, oldest first; of the ranks of a job "
		"(mpirun, srun) one for all, as 'ranks' tells them apart (json, csv and "
		"--sort show each). Every other command but 'sql' takes the latest run "
		"unless --run names one by number or label.",
	.example = "prof-analyze runs run.db --format json",
	.takes = TAKES_LIMIT | TAKES_SORT,
	.build = build,
};
