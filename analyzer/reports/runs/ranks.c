/* SPDX-License-Identifier: MIT */
/*
 * The report ranks: what each rank of a job took, and how far the ranks are from each
 * other. Must not add up what ranks have in common: they run side by side.
 *
 * A job is recorded as one run for each rank (mpirun begins recorded programs), or as one
 * run whose processes have ranks (mpirun itself is recorded).
 */
#include "analyzer/reports/runs/ranks.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/runs/run_list.h"

#include "ranks.sql.h"

#include <stdlib.h>
#include <string.h>

static const struct column columns[] = {
	{"rank", NULL, COLUMN_ID, COLUMN_KEEP},
	{"run_id", "run", COLUMN_ID, 0},
	{"wall_ns", "wall", COLUMN_NSEC, COLUMN_KEEP},
	{"self_ns", "functions", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_wait_ns", "no CPU", COLUMN_NSEC, 0},
	{"calls", "calls", COLUMN_COUNT, 0},
	{"alloc_count", "allocs", COLUMN_COUNT, 0},
	{"alloc_bytes", "bytes", COLUMN_BYTES, 0},
	{"peak_bytes", "peak", COLUMN_BYTES, 0},
};
#define COLUMN_COUNT_ALL (sizeof(columns) / sizeof(columns[0]))
#define FIRST_METRIC 2

static const char *const titles[COLUMN_COUNT_ALL] = {NULL,
						     NULL,
						     "wall time",
						     "time in functions",
						     "ready, without a CPU",
						     "calls",
						     "allocations",
						     "bytes allocated",
						     "peak of memory"};

static const struct column spread_columns[] = {
	{"name", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"title", "of the ranks", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"least", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"median", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"most", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"least_text", "least", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"least_rank", "rank", COLUMN_ID, 0},
	{"median_text", "median", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"most_text", "most", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"most_rank", "rank", COLUMN_ID, 0},
	/* how much longer all wait for the last than if they shared evenly */
	{"above_mean_percent", "above mean", COLUMN_PERCENT, COLUMN_KEEP},
};

struct job {
	const char *name;
	int64_t rank; /* of the run; -1: its processes are the ranks */
	int64_t rank_count;
	struct table *table; /* of columns */
};

static int add_rows(struct report_input *input, const char *sql, struct table *table)
{
	return cursor_fill(report_query(input, sql), table);
}

static int by_rank(const void *left, const void *right)
{
	const struct listed_run *a = left, *b = right;

	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The runs of a unit, which are moved to the front of the list. Returns how many. */
static size_t gather(struct run_list *list, uint32_t unit)
{
	size_t count = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->runs[i].unit == unit)
			list->runs[count++] = list->runs[i];
	if (count)
		qsort(list->runs, count, sizeof(*list->runs), by_rank);
	return count;
}

/* The runs that are of one job with input's run. */
static int add_runs(struct report_input *input, struct table *table)
{
	struct report_input other = *input;
	struct run_list list;
	int result = run_list_read(input, &list);
	uint32_t unit = UINT32_MAX;
	size_t count;

	for (size_t i = 0; i < list.count; i++)
		if (list.runs[i].run_id == input->run_id)
			unit = list.runs[i].unit;
	count = gather(&list, unit);
	for (size_t i = 0; i < count && result == 0; i++) {
		other.run_id = list.runs[i].run_id;
		result = add_rows(&other, ranks_sql_of_run, table);
	}
	input->error = other.error;
	run_list_free(&list);
	return result;
}

static int load(struct report_input *input, struct doc *doc, struct job *job)
{
	struct cursor *cursor = report_query(input, ranks_sql_run);
	int result;

	*job = (struct job){.rank = -1};
	if (cursor_next(cursor) > 0 && cursor_text(cursor, "job") &&
	    !cursor_is_null(cursor, "rank")) {
		job->name = doc_copy(doc, cursor_text(cursor, "job"));
		job->rank = cursor_integer(cursor, "rank");
		job->rank_count = cursor_integer(cursor, "rank_count");
	}
	result = cursor_finish(cursor);
	job->table = table_new(columns, COLUMN_COUNT_ALL);
	if (result == 0)
		result = job->rank >= 0
				 ? add_runs(input, job->table)
				 : add_rows(input, ranks_sql_of_processes, job->table);
	if (result < 0) {
		table_free(job->table);
		report_fail_db(input);
	}
	return result;
}

struct value {
	double value;
	int64_t rank;
};

static int by_value(const void *left, const void *right)
{
	const struct value *a = left, *b = right;

	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

static struct cell amount(struct table *table, double value, enum column_type type)
{
	struct strbuf text = {0};
	struct cell cell;

	if (type == COLUMN_NSEC)
		units_nsec(&text, whole_number(value));
	else if (type == COLUMN_BYTES)
		units_bytes(&text, whole_number(value));
	else
		units_count(&text, whole_number(value));
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

/* One metric over all ranks; nothing when it is not known of all of them. */
static void add_spread(struct table *spread, const struct table *ranks, size_t column,
		       struct value *values)
{
	size_t count = ranks->row_count;
	enum column_type type = columns[column].type;
	double sum = 0, median;
	struct cell *row;

	for (size_t i = 0; i < count; i++) {
		const struct cell *cell = &table_row(ranks, i)[column];

		if (cell->kind == CELL_NULL)
			return;
		values[i].value = cell_number(cell);
		values[i].rank = table_row(ranks, i)[0].integer;
		sum += values[i].value;
	}
	qsort(values, count, sizeof(*values), by_value);
	median = (values[(count - 1) / 2].value + values[count / 2].value) / 2;
	row = table_add_row(spread);
	row[0] = table_text(spread, columns[column].name);
	row[1] = table_text(spread, titles[column]);
	row[2] = cell_real(values[0].value);
	row[3] = cell_real(median);
	row[4] = cell_real(values[count - 1].value);
	row[5] = amount(spread, values[0].value, type);
	if (values[0].value != values[count - 1].value)
		row[6] = cell_integer(values[0].rank);
	row[7] = amount(spread, median, type);
	row[8] = amount(spread, values[count - 1].value, type);
	if (values[0].value != values[count - 1].value)
		row[9] = cell_integer(values[count - 1].rank);
	if (sum > 0)
		row[10] = cell_real(
			units_share(values[count - 1].value * (double)count - sum, sum));
}

static void add_spreads(struct doc *doc, const struct table *ranks, const char *title)
{
	struct table *spread = table_new(
		spread_columns, sizeof(spread_columns) / sizeof(spread_columns[0]));
	struct value *values = xcalloc(ranks->row_count, sizeof(*values));

	for (size_t i = FIRST_METRIC; i < COLUMN_COUNT_ALL; i++)
		add_spread(spread, ranks, i, values);
	free(values);
	doc_table(doc, "rank_spread", title, spread);
}

/* "ompi:17, 7 of 8 ranks" */
static const char *title(struct doc *doc, const struct job *job)
{
	struct strbuf text = {0};
	const char *copy;

	if (job->name)
		strbuf_printf(&text, "Job %s, ", job->name);
	else
		strbuf_puts(&text, "Job of this run, ");
	if (job->rank_count > (int64_t)job->table->row_count)
		strbuf_printf(&text, "%zu of ", job->table->row_count);
	units_counted(&text,
		      job->rank_count > (int64_t)job->table->row_count
			      ? job->rank_count
			      : (int64_t)job->table->row_count,
		      "rank");
	copy = doc_copy(doc, strbuf_text(&text));
	strbuf_free(&text);
	return copy;
}

static void add_place(struct doc *doc, const struct job *job)
{
	struct strbuf text = {0};

	if (job->rank < 0)
		return;
	strbuf_printf(&text, "This run is rank %lld of a job; --run chooses another.",
		      (long long)job->rank);
	doc_note(doc, "rank", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

enum exit_status ranks_add_brief(struct report_input *input, struct doc *doc)
{
	struct job job;

	if (load(input, doc, &job) < 0)
		return STATUS_FAILED;
	if (job.table->row_count) {
		add_place(doc, &job);
		add_spreads(doc, job.table, title(doc, &job));
	}
	table_free(job.table);
	return STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	enum exit_status status;
	struct run_facts facts;
	struct job job;

	status = report_open(input, doc, &facts);
	if (status)
		return status;
	if (load(input, doc, &job) < 0)
		return STATUS_FAILED;
	if (!job.table->row_count) {
		table_free(job.table);
		doc_note(doc, "no_ranks", NOTE_PLAIN,
			 "No launcher began this run: it has no ranks.",
			 "mpirun and srun say to a process which rank it is; record what "
			 "they begin: mpirun -n 8 prof-record -- ./app.");
		return STATUS_NOTHING;
	}
	add_spreads(doc, job.table, title(doc, &job));
	if (input->options->sort) {
		status = report_sort(input, job.table, "rank", "rank");
		if (status) {
			table_free(job.table);
			return status;
		}
	}
	report_add_table(doc, "ranks", "Ranks", job.table, report_limit(input, 0), "rank",
			 NULL, NULL)
		->flags |= SECTION_MAIN;
	return STATUS_OK;
}

const struct report report_ranks = {
	.name = "ranks",
	.summary = "the ranks of a job side by side",
	.description =
		"What each rank of the run's job took, and how evenly they are loaded: "
		"least, median and most, and by how much the most is above the mean. A "
		"job is what one mpirun or srun began, recorded as one run for each "
		"rank, or as one run in which the launcher is recorded, too. 'no CPU' "
		"is time in which threads stood ready without a CPU; time in which a "
		"rank waited for others is within its functions.",
	.example = "prof-analyze ranks run.db",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT,
	.build = build,
};
