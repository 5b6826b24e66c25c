/* SPDX-License-Identifier: MIT */
/*
 * What this is:  CPU, memory, faults and I/O over time.
 * Runs on:       prof-analyze, main thread.
 * Must not:      print.
 * See also:      resources_sum.c; resources.sql.
 */
#include "analyzer/reports/resources.h"

#include "analyzer/base/xalloc.h"
#include "analyzer/model/units.h"

#include "resources.sql.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20

static const struct column sample_columns[] = {
	{"process_id", NULL, COLUMN_ID, 0},	 {"pid", NULL, COLUMN_ID, 0},
	{"time_ns", NULL, COLUMN_NSEC, 0},	 {"cpu_percent", NULL, COLUMN_PERCENT, 0},
	{"rss_bytes", NULL, COLUMN_BYTES, 0},	 {"minor_faults", NULL, COLUMN_COUNT, 0},
	{"major_faults", NULL, COLUMN_COUNT, 0}, {"read_bytes", NULL, COLUMN_BYTES, 0},
	{"write_bytes", NULL, COLUMN_BYTES, 0},	 {"thread_count", NULL, COLUMN_COUNT, 0},
};

static const struct column process_columns[] = {
	{"pid", "PID", COLUMN_ID, COLUMN_KEEP},
	{"cpu_average_percent", "CPU avg", COLUMN_PERCENT, COLUMN_KEEP},
	{"cpu_peak_percent", "peak", COLUMN_PERCENT, COLUMN_KEEP},
	{"rss_average_bytes", "RSS avg", COLUMN_BYTES, COLUMN_KEEP},
	{"rss_peak_bytes", "peak", COLUMN_BYTES, COLUMN_KEEP},
	{"minor_faults", "faults", COLUMN_COUNT, 0},
	{"major_faults", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"read_bytes", "read", COLUMN_BYTES, 0},
	{"write_bytes", "written", COLUMN_BYTES, 0},
	{"thread_peak_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"sample_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"wall_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"executable", "program", COLUMN_FILE, COLUMN_KEEP},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

struct table *resources_load(struct report_input *input)
{
	return report_table(input, resources_sql_samples, sample_columns,
			    sizeof(sample_columns) / sizeof(sample_columns[0]));
}

static void add_percents(struct strbuf *text, double average, double peak)
{
	units_percent(text, average);
	strbuf_puts(text, " on average, peak ");
	units_percent(text, peak);
	strbuf_puts(text, " (100% is one CPU)");
}

void resources_add_summary(struct doc *doc, const struct resource_sums *sums)
{
	struct section *section = doc_values(doc, "resources", "Resources");
	struct strbuf text = {0};
	const struct {
		const char *name;
		enum column_type type;
		struct cell cell;
	} values[] = {
		{"sample_count", COLUMN_COUNT, cell_integer((int64_t)sums->sample_count)},
		{"cpu_average_percent", COLUMN_PERCENT, cell_real(sums->cpu_average)},
		{"cpu_peak_percent", COLUMN_PERCENT, cell_real(sums->cpu_peak)},
		{"rss_average_bytes", COLUMN_BYTES,
		 cell_integer(sums->rss_average_bytes)},
		{"rss_peak_bytes", COLUMN_BYTES, cell_integer(sums->rss_peak_bytes)},
		{"minor_faults", COLUMN_COUNT, cell_integer(sums->minor_faults)},
		{"major_faults", COLUMN_COUNT, cell_integer(sums->major_faults)},
		{"read_bytes", COLUMN_BYTES, cell_integer(sums->read_bytes)},
		{"write_bytes", COLUMN_BYTES, cell_integer(sums->write_bytes)},
		{"thread_peak_count", COLUMN_COUNT, cell_integer(sums->thread_peak)},
	};

	add_percents(&text, sums->cpu_average, sums->cpu_peak);
	doc_add_human(doc, section, "CPU", strbuf_text(&text));
	strbuf_reset(&text);
	units_bytes(&text, sums->rss_average_bytes);
	strbuf_puts(&text, " on average, peak ");
	units_bytes(&text, sums->rss_peak_bytes);
	doc_add_human(doc, section, "RSS", strbuf_text(&text));
	strbuf_reset(&text);
	units_count(&text, sums->minor_faults);
	strbuf_puts(&text, " minor, ");
	units_count(&text, sums->major_faults);
	strbuf_puts(&text, " major");
	doc_add_human(doc, section, "faults", strbuf_text(&text));
	strbuf_reset(&text);
	units_bytes(&text, sums->read_bytes);
	strbuf_puts(&text, " read, ");
	units_bytes(&text, sums->write_bytes);
	strbuf_puts(&text, " written");
	doc_add_human(doc, section, "I/O", strbuf_text(&text));
	strbuf_free(&text);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		doc_add_flagged(section, values[i].name, NULL, values[i].type,
				values[i].cell, COLUMN_MACHINE);
}

static void add_plot(struct doc *doc, const char *name, const char *title,
		     enum column_type type, const double *bins, double peak,
		     int64_t span_ns)
{
	double *points = xreallocarray(NULL, RESOURCE_BINS, sizeof(*points));
	struct section *section;

	memcpy(points, bins, RESOURCE_BINS * sizeof(*points));
	section = doc_plot(doc, name, title, type, points, RESOURCE_BINS);
	section->peak = peak;
	section->span_ns = span_ns;
}

void resources_add_plots(struct doc *doc, const struct resource_sums *sums)
{
	if (sums->sample_count < 2)
		return;
	add_plot(doc, "cpu_plot", "CPU", COLUMN_PERCENT, sums->cpu_bins, sums->cpu_peak,
		 sums->span_ns);
	add_plot(doc, "rss_plot", "RSS", COLUMN_BYTES, sums->rss_bins,
		 (double)sums->rss_peak_bytes, sums->span_ns);
}

void resources_add_none(struct report_input *input, struct doc *doc,
			const struct run_facts *facts)
{
	struct strbuf text = {0};

	(void)input;
	strbuf_puts(&text, "No resource samples: ");
	if (facts->wall_ns > 0 && facts->wall_ns < 100000000) {
		strbuf_puts(&text, "the run took ");
		units_nsec(&text, facts->wall_ns);
		strbuf_puts(&text, ", the collector samples every 100ms.");
	} else {
		strbuf_puts(&text, "no collector watched the run.");
	}
	doc_note(doc, "no_resources", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

/* The samples of one process, as a table of their own. */
static struct table *of_process(const struct table *samples, int64_t process_id)
{
	struct table *part = table_new(samples->columns, samples->column_count);
	int column = table_column(samples, "process_id");

	for (size_t i = 0; i < samples->row_count; i++)
		if (table_row(samples, i)[column].integer == process_id)
			memcpy(table_add_row(part), table_row(samples, i),
			       samples->column_count * sizeof(struct cell));
	return part;
}

static void fill_process(struct table *table, size_t row, const struct table *samples)
{
	int64_t process_id = table_cell(table, row, "process_id")->integer;
	struct table *part = of_process(samples, process_id);
	struct resource_sums sums;

	resources_add_up(part, &sums);
	table_free(part);
	*table_cell(table, row, "sample_count") =
		cell_integer((int64_t)sums.sample_count);
	if (!sums.sample_count)
		return;
	*table_cell(table, row, "cpu_average_percent") = cell_real(sums.cpu_average);
	*table_cell(table, row, "cpu_peak_percent") = cell_real(sums.cpu_peak);
	*table_cell(table, row, "rss_average_bytes") =
		cell_integer(sums.rss_average_bytes);
	*table_cell(table, row, "rss_peak_bytes") = cell_integer(sums.rss_peak_bytes);
	*table_cell(table, row, "minor_faults") = cell_integer(sums.minor_faults);
	*table_cell(table, row, "major_faults") = cell_integer(sums.major_faults);
	*table_cell(table, row, "read_bytes") = cell_integer(sums.read_bytes);
	*table_cell(table, row, "write_bytes") = cell_integer(sums.write_bytes);
	*table_cell(table, row, "thread_peak_count") = cell_integer(sums.thread_peak);
}

static enum exit_status add_processes(struct report_input *input, struct doc *doc,
				      const struct table *samples)
{
	struct table *table =
		report_table(input, resources_sql_processes, process_columns,
			     sizeof(process_columns) / sizeof(process_columns[0]));
	struct section *section;
	enum exit_status status;

	if (!table)
		return STATUS_FAILED;
	for (size_t i = 0; i < table->row_count; i++)
		fill_process(table, i, samples);
	status = report_sort(input, table,
			     input->options->sort ? "pid" : "cpu_average_percent", "pid");
	if (status) {
		table_free(table);
		return status;
	}
	section = report_add_table(doc, "processes", "Processes", table,
				   report_limit(input, DEFAULT_ROWS), "process", NULL,
				   NULL);
	section->flags = SECTION_MAIN;
	return STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct resource_sums sums;
	struct run_facts facts;
	struct table *samples;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	samples = resources_load(input);
	if (!samples)
		return STATUS_FAILED;
	resources_add_up(samples, &sums);
	if (!sums.sample_count) {
		resources_add_none(input, doc, &facts);
		table_free(samples);
		return STATUS_NOTHING;
	}
	resources_add_summary(doc, &sums);
	resources_add_plots(doc, &sums);
	status = add_processes(input, doc, samples);
	if (status) {
		table_free(samples);
		return status;
	}
	doc_table(doc, "samples", NULL, samples)->flags = SECTION_MACHINE;
	return STATUS_OK;
}

const struct report report_resources = {
	.name = "resources",
	.summary = "CPU, memory, faults and I/O: averages, peaks, curves",
	.description =
		"What the collector read from /proc every 100 ms: the whole run, then "
		"each process. json has every sample.",
	.example = "prof-analyze resources run.db",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT,
	.build = build,
};
