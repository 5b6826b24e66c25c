/* SPDX-License-Identifier: MIT */
/* Steps and counters: how many, how fast, the extremes, the course. */
#include "analyzer/reports/steps/parts.h"

#include "common/base/utf8.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/trust/trust.h"

#include "steps.sql.h"

#include <string.h>
#include <strings.h>

#define PLOTS_MOST 6
/* What the hooks took is said from this part of the time on. */
#define HOOKS_LEAST_PERCENT 1
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column step_columns[] = {
	{"step_count", "count", COLUMN_COUNT, COLUMN_KEEP},
	{"per_second", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"per_hour", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"mean_ns", "mean", COLUMN_NSEC, COLUMN_KEEP},
	{"p50_ns", "median", COLUMN_NSEC, COLUMN_KEEP},
	{"p90_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"p95_ns", "p95", COLUMN_NSEC, COLUMN_KEEP},
	{"p99_ns", "p99", COLUMN_NSEC, COLUMN_KEEP},
	{"min_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"max_ns", "max", COLUMN_NSEC, COLUMN_KEEP},
	{"total_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"timed_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"drift", "drift", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"drift_percent", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"bytes_per_step", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"growth_bytes", NULL, COLUMN_BYTES_CHANGE, COLUMN_MACHINE},
	{"first_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"last_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"process_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"name", "step", COLUMN_NAME, COLUMN_KEEP},
	{"series_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"cpu_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"ready_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"blocked_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"waited_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"waited_in", NULL, COLUMN_TEXT, COLUMN_MACHINE},
};

/* For people, who have no room for all in one. */
static const struct column split_columns[] = {
	{"total_ns", "in all", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_ns", "computing", COLUMN_NSEC, COLUMN_KEEP},
	{"ready_ns", "ready", COLUMN_NSEC, COLUMN_KEEP},
	{"blocked_ns", "blocked", COLUMN_NSEC, COLUMN_KEEP},
	{"waited_ns", "most", COLUMN_NSEC, COLUMN_KEEP},
	{"waited_in", "of that in", COLUMN_NAME, COLUMN_KEEP},
	{"name", "step", COLUMN_NAME, COLUMN_KEEP},
};
static const struct column rate_columns[] = {
	{"per_second", "per second", COLUMN_FIGURE, COLUMN_KEEP},
	{"per_hour", "per hour", COLUMN_FIGURE, COLUMN_KEEP},
	{"bytes_per_step", "memory/step", COLUMN_FIGURE, COLUMN_KEEP},
	{"growth_bytes", "in all", COLUMN_BYTES_CHANGE, COLUMN_KEEP},
	{"name", "step", COLUMN_NAME, COLUMN_KEEP},
};

static const struct column counter_columns[] = {
	{"counter_count", "count", COLUMN_COUNT, COLUMN_KEEP},
	{"rate", "per second", COLUMN_FIGURE, COLUMN_HUMAN},
	{"per_second", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"per_hour", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"mean_text", "mean", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"p50_text", "median", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"p95_text", "p95", COLUMN_FIGURE, COLUMN_HUMAN},
	{"p99_text", "p99", COLUMN_FIGURE, COLUMN_HUMAN},
	{"min_text", "min", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"max_text", "max", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"mean", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p50", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p90", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p95", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"p99", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"min", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"max", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"sum", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"drift", "drift", COLUMN_FIGURE, COLUMN_HUMAN},
	{"drift_percent", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"first_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"last_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"process_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"name", "counter", COLUMN_NAME, COLUMN_KEEP},
	{"series_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column step_extreme_columns[] = {
	{"which", "", COLUMN_TEXT, COLUMN_KEEP},
	{"rank", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"duration_ns", "took", COLUMN_NSEC, COLUMN_KEEP},
	{"step_index", "no.", COLUMN_COUNT, COLUMN_KEEP},
	{"started_ns", "at", COLUMN_NSEC, COLUMN_KEEP},
	{"clock", "UTC", COLUMN_TEXT, COLUMN_HUMAN},
	{"started_utc", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"live_bytes", "live", COLUMN_BYTES, 0},
	{"pid", "PID", COLUMN_ID, COLUMN_MACHINE},
	{"cpu_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"ready_ns", "ready", COLUMN_NSEC, COLUMN_KEEP},
	{"blocked_ns", "blocked", COLUMN_NSEC, COLUMN_KEEP},
	{"waited_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"waited_in", "mostly in", COLUMN_NAME, COLUMN_KEEP},
	{"name", "step", COLUMN_NAME, COLUMN_KEEP},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"series_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column wait_columns[] = {
	{"series_id", NULL, COLUMN_ID, 0},
	{"rank", NULL, COLUMN_ID, 0},
	{"waited_ns", NULL, COLUMN_NSEC, 0},
	{"waited_in", NULL, COLUMN_TEXT, 0},
};

static const struct column counter_extreme_columns[] = {
	{"which", "", COLUMN_TEXT, COLUMN_KEEP},
	{"rank", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"value_text", "value", COLUMN_FIGURE, COLUMN_HUMAN | COLUMN_KEEP},
	{"value", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"counter_index", "no.", COLUMN_COUNT, COLUMN_KEEP},
	{"time_ns", "at", COLUMN_NSEC, COLUMN_KEEP},
	{"clock", "UTC", COLUMN_TEXT, COLUMN_HUMAN | COLUMN_KEEP},
	{"time_utc", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"pid", "PID", COLUMN_ID, COLUMN_MACHINE},
	{"name", "counter", COLUMN_NAME, COLUMN_KEEP},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"series_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column span_columns[] = {
	{"name", NULL, COLUMN_NAME, 0},		{"number", NULL, COLUMN_ID, 0},
	{"first_ns", NULL, COLUMN_NSEC, 0},	{"last_ns", NULL, COLUMN_NSEC, 0},
	{"value_count", NULL, COLUMN_COUNT, 0}, {"sum", NULL, COLUMN_ANY, 0},
	{"live_bytes", NULL, COLUMN_BYTES, 0},	{"series_id", NULL, COLUMN_ID, 0},
};

/* Steps and counters are shown in the same way. */
struct kind {
	const char *name, *title, *noun;
	const char *sql, *extremes_sql, *spans_sql;
	const struct column *columns, *extreme_columns;
	size_t column_count, extreme_column_count;
	const char *count; /* the column that it is sorted by */
	const char *extremes_name, *extremes_title, *spans_name;
	bool is_step;
};

static const struct kind steps = {
	.name = "steps",
	.title = "Steps",
	.noun = "step",
	.sql = steps_sql_steps,
	.extremes_sql = steps_sql_step_extremes,
	.spans_sql = steps_sql_step_spans,
	.columns = step_columns,
	.column_count = COUNT(step_columns),
	.extreme_columns = step_extreme_columns,
	.extreme_column_count = COUNT(step_extreme_columns),
	.count = "total_ns",
	.extremes_name = "step_extremes",
	.extremes_title = "Slowest and fastest steps",
	.spans_name = "step_spans",
	.is_step = true,
};

static const struct kind counters = {
	.name = "counters",
	.title = "Counters",
	.noun = "counter",
	.sql = steps_sql_counters,
	.extremes_sql = steps_sql_counter_extremes,
	.spans_sql = steps_sql_counter_spans,
	.columns = counter_columns,
	.column_count = COUNT(counter_columns),
	.extreme_columns = counter_extreme_columns,
	.extreme_column_count = COUNT(counter_extreme_columns),
	.count = "counter_count",
	.extremes_name = "counter_extremes",
	.extremes_title = "Highest and lowest values",
	.spans_name = "counter_spans",
};

static void compute_step(struct table *table, size_t row)
{
	double timed = cell_number(table_cell(table, row, "timed_count"));
	double bytes = cell_number(table_cell(table, row, "growth_bytes")) / timed;

	steps_set_rate(table, row, timed);
	if (!(timed > 0))
		return;
	*table_cell(table, row, "bytes_per_step") = cell_real(bytes);
}

static void compute_counter(struct table *table, size_t row)
{
	static const char *const columns[][2] = {
		{"mean", "mean_text"}, {"p50", "p50_text"}, {"p95", "p95_text"},
		{"p99", "p99_text"},   {"min", "min_text"}, {"max", "max_text"},
	};

	steps_set_rate(table, row,
		       cell_number(table_cell(table, row, "counter_count")) - 1);
	for (size_t i = 0; i < COUNT(columns); i++) {
		const struct cell *value = table_cell(table, row, columns[i][0]);

		if (value->kind != CELL_NULL)
			*table_cell(table, row, columns[i][1]) =
				steps_figure(table, cell_number(value), "", false);
	}
}

static void add_rates(struct doc *doc, const struct table *from)
{
	struct table *table = table_new(rate_columns, COUNT(rate_columns));

	for (size_t i = 0; i < from->row_count; i++) {
		const struct cell *per_second = table_cell(from, i, "per_second");
		const struct cell *bytes = table_cell(from, i, "bytes_per_step");
		const struct cell *name = table_cell(from, i, "name");

		table_add_row(table);
		if (per_second->kind != CELL_NULL) {
			double value = cell_number(per_second);

			*table_cell(table, i, "per_second") = steps_rate(table, value);
			*table_cell(table, i, "per_hour") =
				steps_rate(table, value * 3600);
		}
		if (bytes->kind != CELL_NULL)
			*table_cell(table, i, "bytes_per_step") =
				steps_growth(table, cell_number(bytes));
		*table_cell(table, i, "growth_bytes") =
			*table_cell(from, i, "growth_bytes");
		if (name->kind == CELL_TEXT)
			*table_cell(table, i, "name") = table_text(table, name->text);
	}
	doc_table(doc, "rates", "Rates, and growth of live memory", table)->flags =
		SECTION_HUMAN;
}

/* Puts where it was waited for longest into a table of steps, or of their extremes. */
static void set_waits(struct table *table, const struct table *waits)
{
	bool has_ranks = table_column(table, "rank") >= 0;

	for (size_t i = 0; i < table->row_count; i++) {
		struct steps_rows rows = steps_rows_of(
			waits, cell_whole(table_cell(table, i, "series_id")));
		int64_t rank = 0;

		if (has_ranks) /* of the fastest nothing is known */
			rank = strcmp(table_cell(table, i, "which")->text, "slowest") == 0
				       ? cell_whole(table_cell(table, i, "rank"))
				       : -1;
		for (size_t j = rows.first; j < rows.end; j++) {
			const struct cell *name = table_cell(waits, j, "waited_in");

			if (cell_whole(table_cell(waits, j, "rank")) != rank ||
			    name->kind != CELL_TEXT)
				continue;
			*table_cell(table, i, "waited_ns") =
				*table_cell(waits, j, "waited_ns");
			*table_cell(table, i, "waited_in") =
				table_text(table, name->text);
		}
	}
}

static bool has_waits(const struct table *table)
{
	return table_sum(table, "ready_ns") != 0 || table_sum(table, "blocked_ns") != 0;
}

/* What they did of their time, when it was not only computing. */
static void add_split(struct doc *doc, const struct table *from)
{
	struct table *table;

	if (!has_waits(from))
		return;
	table = table_new(split_columns, COUNT(split_columns));
	for (size_t i = 0; i < from->row_count; i++) {
		struct cell *row = table_add_row(table);

		for (size_t j = 0; j < COUNT(split_columns); j++) {
			row[j] = *table_cell(from, i, split_columns[j].name);
			if (row[j].kind == CELL_TEXT)
				row[j] = table_text(table, row[j].text);
		}
	}
	doc_table(doc, "split", "Computing, ready for a CPU, blocked", table)->flags =
		SECTION_HUMAN;
}

/* Of those that only computed people need not be told. */
static void hide_waits(struct table *table)
{
	static const char *const names[] = {"ready_ns", "blocked_ns", "waited_in"};

	for (size_t i = 0; i < COUNT(names) && !has_waits(table); i++)
		table->columns[table_column(table, names[i])].flags = COLUMN_MACHINE;
}

static void add_plots(struct doc *doc, const struct table *table,
		      const struct table *spans, const struct kind *kind, int64_t wall_ns)
{
	struct strbuf title = {0};

	for (size_t i = 0; i < table->row_count && i < PLOTS_MOST && wall_ns > 0; i++) {
		const struct cell *name = table_cell(table, i, "name");

		if (table_cell(table, i, "drift_percent")->kind == CELL_NULL)
			continue;
		strbuf_reset(&title);
		utf8_clean(&title, name->kind == CELL_TEXT ? name->text : "");
		steps_plot(doc, spans, cell_whole(table_cell(table, i, "series_id")),
			   strbuf_text(&title),
			   kind->is_step ? COLUMN_NSEC : COLUMN_FIGURE, wall_ns);
	}
	strbuf_free(&title);
}

static void copy_extreme(const struct kind *kind, struct table *to,
			 const struct table *from, size_t at)
{
	size_t last = to->row_count;
	struct cell *row = table_add_row(to);

	for (size_t i = 0; i < to->column_count; i++) {
		row[i] = table_row(from, at)[i];
		if (row[i].kind == CELL_TEXT)
			row[i] = table_text(to, row[i].text);
	}
	if (!kind->is_step)
		*table_cell(to, last, "value_text") = steps_figure(
			to, cell_number(table_cell(to, last, "value")), "", false);
}

/* Those of the series that are shown, in their order. */
static struct table *extremes_table(struct report_input *input, const struct kind *kind,
				    const struct table *shown, size_t limit)
{
	struct table *all = report_table(input, kind->extremes_sql, kind->extreme_columns,
					 kind->extreme_column_count);
	struct table *table;

	if (!all)
		return NULL;
	table = table_new(kind->extreme_columns, kind->extreme_column_count);
	for (size_t i = 0; i < shown->row_count && (!limit || i < limit); i++) {
		struct steps_rows rows =
			steps_rows_of(all, cell_whole(table_cell(shown, i, "series_id")));

		for (size_t j = rows.first; j < rows.end; j++)
			copy_extreme(kind, table, all, j);
	}
	table_free(all);
	return table;
}

/* Adds all there is of one kind; *ret_count: how many names. */
/* One word sorts both tables; what one heading calls step is counter in the other. */
static enum exit_status sort_kind(struct report_input *input, struct table *table,
				  const struct kind *kind)
{
	struct report_options options = *input->options;
	const struct report_options *asked = input->options;
	enum exit_status status;

	if (options.sort && (strcasecmp(options.sort, steps.noun) == 0 ||
			     strcasecmp(options.sort, counters.noun) == 0))
		options.sort = "name";
	input->options = &options;
	status = report_sort(input, table, kind->count, "name");
	input->options = asked;
	return status;
}

static enum exit_status add_kind(struct report_input *input, struct doc *doc,
				 const struct run_facts *facts, const struct kind *kind,
				 size_t *ret_count)
{
	struct table *table =
		report_table(input, kind->sql, kind->columns, kind->column_count);
	struct table *spans =
		report_table(input, kind->spans_sql, span_columns, COUNT(span_columns));
	struct table *waits = report_table(input, steps_sql_step_waits, wait_columns,
					   COUNT(wait_columns));
	struct table *extremes = NULL;
	struct section *section;
	enum exit_status status = table && spans && waits ? STATUS_OK : STATUS_FAILED;
	size_t limit = report_limit(input, 20);

	for (size_t i = 0; !status && i < table->row_count; i++) {
		if (kind->is_step)
			compute_step(table, i);
		else
			compute_counter(table, i);
		steps_set_drift(table, i, spans);
	}
	if (!status && kind->is_step)
		set_waits(table, waits);
	if (!status)
		status = sort_kind(input, table, kind);
	if (status) {
		table_free(table);
		table_free(spans);
		table_free(waits);
		return status;
	}
	*ret_count = table->row_count;
	section = report_add_table(doc, kind->name, *ret_count ? kind->title : NULL,
				   table, limit, kind->noun, NULL, NULL);
	section->flags =
		(kind->is_step ? SECTION_MAIN : 0) | (*ret_count ? 0 : SECTION_MACHINE);
	if (kind->is_step && *ret_count) {
		add_rates(doc, table);
		add_split(doc, table);
	}
	add_plots(doc, table, spans, kind, facts->wall_ns);
	extremes = extremes_table(input, kind, table, report_limit(input, 5));
	if (extremes && kind->is_step) {
		set_waits(extremes, waits);
		hide_waits(extremes);
	}
	table_free(waits);
	if (!extremes) {
		table_free(spans);
		return STATUS_FAILED;
	}
	section = doc_table(doc, kind->extremes_name,
			    *ret_count ? kind->extremes_title : NULL, extremes);
	section->flags = *ret_count ? 0 : SECTION_MACHINE;
	doc_table(doc, kind->spans_name, NULL, spans)->flags = SECTION_MACHINE;
	return STATUS_OK;
}

/* Marks are as the clock said: what was recorded in between took its time. */
static void note_hooks(struct doc *doc, const struct run_facts *facts)
{
	struct hooks_cost percent = hooks_percent(
		hooks_total(&facts->hooks),
		(double)(facts->thread_ns ? facts->thread_ns : facts->wall_ns));
	struct strbuf text = {0};

	if (!(percent.ns + percent.error_ns >= HOOKS_LEAST_PERCENT))
		return;
	strbuf_puts(&text, "Durations and rates are as the clock said, with the hooks in "
			   "them: ");
	trust_put_percent(&text, percent);
	strbuf_printf(&text, " of the run's %s.",
		      facts->thread_count > 1 ? "threads' time" : "wall time");
	doc_note(doc, "hooks_in_steps", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	size_t step_count = 0, counter_count = 0;
	struct run_facts facts;
	enum exit_status status = report_open(input, doc, &facts);

	if (status == STATUS_OK)
		status = add_kind(input, doc, &facts, &steps, &step_count);
	if (status == STATUS_OK)
		status = add_kind(input, doc, &facts, &counters, &counter_count);
	if (status)
		return status;
	if (step_count)
		note_hooks(doc, &facts);
	if (step_count || counter_count)
		return STATUS_OK;
	doc_note(doc, "no_steps", NOTE_WARNING, "The run has no steps and no counters.",
		 "Mark the iterations of a loop with profshim_step(\"name\") of "
		 "profshim.h, and note numbers with profshim_counter(\"name\", value).");
	return STATUS_NOTHING;
}

const struct report report_steps = {
	.name = "steps",
	.summary = "steps of loops and counters: rates, extremes, drift",
	.description =
		"A step lasts from one profshim_step() of its name to the next of the "
		"same thread; the table counts the calls. Rates are from the first mark "
		"to the last. drift: mean of the last quarter of the steps against that "
		"of the first. memory/step: growth of live memory from the first mark to "
		"the last, for each step. Percentiles are at most 6.25% off, everything "
		"else is exact. Computing, ready (wanted a CPU and had none) and blocked "
		"are of "
		"the thread that marks, with the call path on which it waited longest, "
		"of "
		"all steps of the name and of each slow one. The plots are means over "
		"the run. The latest 512 of each "
		"name are in the views steps and counters.",
	.example = "prof-analyze steps run.db",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT,
	.build = build,
};
