/* SPDX-License-Identifier: MIT */
/* CPU, memory, faults, I/O, threads and GPUs over time. */
#include "analyzer/reports/resources/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/open.h"

#include "resources.sql.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_ROWS 20
#define TIME_ROWS 10

static const struct column process_columns[] = {
	{"pid", "PID", COLUMN_ID, COLUMN_KEEP},
	{"cpu_ns", "CPU time", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_average_percent", "CPU avg", COLUMN_PERCENT, COLUMN_KEEP},
	{"cpu_peak_percent", "peak", COLUMN_PERCENT, 0},
	{"rss_average_bytes", "RSS avg", COLUMN_BYTES, COLUMN_KEEP},
	{"rss_peak_bytes", "peak", COLUMN_BYTES, COLUMN_KEEP},
	{"minor_faults", "faults", COLUMN_COUNT, 0},
	{"major_faults", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"read_bytes", "read", COLUMN_BYTES, 0},
	{"write_bytes", "written", COLUMN_BYTES, 0},
	{"thread_peak_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"sample_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"started_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"wall_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"executable", "program", COLUMN_FILE, COLUMN_KEEP},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column gpu_columns[] = {
	{"pid", "PID", COLUMN_ID, COLUMN_KEEP},
	{"device", "GPU", COLUMN_ID, COLUMN_KEEP},
	{"utilisation_average_percent", "GPU avg", COLUMN_PERCENT, COLUMN_KEEP},
	{"utilisation_peak_percent", "peak", COLUMN_PERCENT, COLUMN_KEEP},
	{"memory_average_bytes", "memory avg", COLUMN_BYTES, COLUMN_KEEP},
	{"memory_peak_bytes", "peak", COLUMN_BYTES, COLUMN_KEEP},
	{"sample_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"executable", "program", COLUMN_FILE, COLUMN_KEEP},
	{"process_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

struct value {
	const char *name;
	enum column_type type;
	struct cell cell;
};

static void add_values(struct section *section, const struct value *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		doc_add_machine(section, values[i].name, values[i].type, values[i].cell);
}

static struct cell percent_or_null(double percent)
{
	return isnan(percent) ? (struct cell){.kind = CELL_NULL} : cell_real(percent);
}

static void put_percents(struct strbuf *text, const struct resource_sums *sums,
			 const char *whole)
{
	if (isnan(sums->busy_average_percent)) {
		strbuf_puts(text, "not known");
		return;
	}
	units_percent(text, sums->busy_average_percent);
	strbuf_puts(text, " on average, peak ");
	units_percent(text, sums->busy_peak_percent);
	strbuf_printf(text, " (100%% is one %s)", whole);
}

static void put_memory(struct strbuf *text, const struct resource_sums *sums)
{
	units_bytes(text, sums->memory_average_bytes);
	strbuf_puts(text, " on average, peak ");
	units_bytes(text, sums->memory_peak_bytes);
}

static void add_line(struct doc *doc, struct section *section, const char *title,
		     struct strbuf *text)
{
	doc_add_human(doc, section, title, strbuf_text(text));
	strbuf_reset(text);
}

static void add_lines(struct doc *doc, struct section *section,
		      const struct resource_sums *sums)
{
	struct strbuf text = {0};

	put_percents(&text, sums, "CPU");
	add_line(doc, section, "CPU", &text);
	put_memory(&text, sums);
	add_line(doc, section, "RSS", &text);
	units_count(&text, sums->minor_faults);
	strbuf_puts(&text, " minor, ");
	units_count(&text, sums->major_faults);
	strbuf_puts(&text, " major");
	add_line(doc, section, "faults", &text);
	units_bytes(&text, sums->read_bytes);
	strbuf_puts(&text, " read, ");
	units_bytes(&text, sums->write_bytes);
	strbuf_puts(&text, " written");
	add_line(doc, section, "I/O", &text);
	strbuf_puts(&text, "at most ");
	units_count(&text, sums->thread_peak);
	add_line(doc, section, "threads", &text);
	strbuf_free(&text);
}

static void add_gpu(struct doc *doc, struct section *section,
		    const struct resource_sums *sums)
{
	const struct value values[] = {
		{"gpu_sample_count", COLUMN_COUNT,
		 cell_integer((int64_t)sums->sample_count)},
		{"gpu_utilisation_average_percent", COLUMN_PERCENT,
		 percent_or_null(sums->busy_average_percent)},
		{"gpu_utilisation_peak_percent", COLUMN_PERCENT,
		 percent_or_null(sums->busy_peak_percent)},
		{"gpu_memory_average_bytes", COLUMN_BYTES,
		 cell_integer(sums->memory_average_bytes)},
		{"gpu_memory_peak_bytes", COLUMN_BYTES,
		 cell_integer(sums->memory_peak_bytes)},
	};
	struct strbuf text = {0};

	put_percents(&text, sums, "GPU");
	add_line(doc, section, "GPU", &text);
	put_memory(&text, sums);
	add_line(doc, section, "GPU mem", &text);
	strbuf_free(&text);
	add_values(section, values, sizeof(values) / sizeof(values[0]));
}

void resources_add_summary(struct doc *doc, const struct resource_data *data)
{
	const struct resource_sums *sums = &data->sums;
	struct section *section = doc_values(doc, "resources", "Resources");
	const struct value values[] = {
		{"sample_count", COLUMN_COUNT, cell_integer((int64_t)sums->sample_count)},
		{"cpu_average_percent", COLUMN_PERCENT,
		 percent_or_null(sums->busy_average_percent)},
		{"cpu_peak_percent", COLUMN_PERCENT,
		 percent_or_null(sums->busy_peak_percent)},
		{"rss_average_bytes", COLUMN_BYTES,
		 cell_integer(sums->memory_average_bytes)},
		{"rss_peak_bytes", COLUMN_BYTES, cell_integer(sums->memory_peak_bytes)},
		{"minor_faults", COLUMN_COUNT, cell_integer(sums->minor_faults)},
		{"major_faults", COLUMN_COUNT, cell_integer(sums->major_faults)},
		{"read_bytes", COLUMN_BYTES, cell_integer(sums->read_bytes)},
		{"write_bytes", COLUMN_BYTES, cell_integer(sums->write_bytes)},
		{"thread_peak_count", COLUMN_COUNT, cell_integer(sums->thread_peak)},
	};

	add_lines(doc, section, sums);
	add_values(section, values, sizeof(values) / sizeof(values[0]));
	if (data->gpu_sums.sample_count)
		add_gpu(doc, section, &data->gpu_sums);
}

void resources_add_none(struct doc *doc, const struct run_facts *facts)
{
	struct strbuf text = {0};

	strbuf_puts(&text, "No resource samples: ");
	if (facts->is_live && facts->is_attended) {
		strbuf_puts(&text,
			    "the collector that watches the run has not taken one "
			    "yet, or found no room beside the output file for "
			    "them; it stores those that it has when the run ends.");
	} else if (facts->is_live) {
		strbuf_puts(&text, "no collector watches the run.");
	} else if (facts->wall_ns > 0 && facts->wall_ns < 100000000) {
		strbuf_puts(&text, "the run took ");
		units_nsec(&text, facts->wall_ns);
		strbuf_puts(&text, ", the collector samples every 100ms.");
	} else {
		strbuf_puts(&text, "no collector watched the run.");
	}
	doc_note(doc, "no_resources", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static void fill_process(struct table *table, size_t row,
			 const struct resource_data *data)
{
	int64_t process_id = table_cell(table, row, "process_id")->integer;
	struct resource_sums sums;

	resources_of_process(data, process_id,
			     cell_whole(table_cell(table, row, "started_ns")), &sums);
	*table_cell(table, row, "sample_count") =
		cell_integer((int64_t)sums.sample_count);
	if (!sums.sample_count)
		return;
	if (!isnan(sums.busy_ns))
		*table_cell(table, row, "cpu_ns") =
			cell_integer(whole_number(sums.busy_ns));
	*table_cell(table, row, "cpu_average_percent") =
		percent_or_null(sums.busy_average_percent);
	*table_cell(table, row, "cpu_peak_percent") =
		percent_or_null(sums.busy_peak_percent);
	*table_cell(table, row, "rss_average_bytes") =
		cell_integer(sums.memory_average_bytes);
	*table_cell(table, row, "rss_peak_bytes") = cell_integer(sums.memory_peak_bytes);
	*table_cell(table, row, "minor_faults") = cell_integer(sums.minor_faults);
	*table_cell(table, row, "major_faults") = cell_integer(sums.major_faults);
	*table_cell(table, row, "read_bytes") = cell_integer(sums.read_bytes);
	*table_cell(table, row, "write_bytes") = cell_integer(sums.write_bytes);
	*table_cell(table, row, "thread_peak_count") = cell_integer(sums.thread_peak);
}

static void fill_gpu(struct table *table, size_t row, const struct resource_data *data)
{
	int64_t process_id = table_cell(table, row, "process_id")->integer;
	int64_t device = table_cell(table, row, "device")->integer;
	struct resource_sums sums;

	resources_of_gpu(data, process_id, device, &sums);
	*table_cell(table, row, "sample_count") =
		cell_integer((int64_t)sums.sample_count);
	if (resources_knows_gpu(data, process_id, device, "utilisation_percent")) {
		*table_cell(table, row, "utilisation_average_percent") =
			percent_or_null(sums.busy_average_percent);
		*table_cell(table, row, "utilisation_peak_percent") =
			percent_or_null(sums.busy_peak_percent);
	}
	if (resources_knows_gpu(data, process_id, device, "memory_bytes")) {
		*table_cell(table, row, "memory_average_bytes") =
			cell_integer(sums.memory_average_bytes);
		*table_cell(table, row, "memory_peak_bytes") =
			cell_integer(sums.memory_peak_bytes);
	}
}

/* Keeps the rows of the process that was asked for. */
static void keep_process(struct table *table, int64_t process_id)
{
	bool *keep = xcalloc(table->row_count, sizeof(*keep));

	for (size_t i = 0; i < table->row_count; i++)
		keep[i] = !process_id ||
			  table_cell(table, i, "process_id")->integer == process_id;
	table_filter(table, keep);
	free(keep);
}

static enum exit_status add_gpus(struct report_input *input, struct doc *doc,
				 const struct resource_data *data, size_t limit)
{
	struct table *table = report_table(input, resources_sql_gpus, gpu_columns,
					   sizeof(gpu_columns) / sizeof(gpu_columns[0]));

	if (!table)
		return STATUS_FAILED;
	keep_process(table, data->process_id);
	for (size_t i = 0; i < table->row_count; i++)
		fill_gpu(table, i, data);
	table_sort(table, table_column(table, "memory_peak_bytes"),
		   table_column(table, "pid"));
	report_add_table(doc, "gpus", "GPUs", table, limit, "row", NULL, NULL);
	return STATUS_OK;
}

enum exit_status resources_add_processes(struct report_input *input, struct doc *doc,
					 const struct resource_data *data, size_t limit)
{
	struct table *table =
		report_table(input, resources_sql_processes, process_columns,
			     sizeof(process_columns) / sizeof(process_columns[0]));
	enum exit_status status;

	if (!table)
		return STATUS_FAILED;
	keep_process(table, data->process_id);
	for (size_t i = 0; i < table->row_count; i++)
		fill_process(table, i, data);
	status =
		report_sort(input, table, input->options->sort ? "pid" : "cpu_ns", "pid");
	if (status) {
		table_free(table);
		return status;
	}
	report_add_table(doc, "processes", "Processes", table, limit, "process", NULL,
			 NULL);
	return data->gpu_samples->row_count ? add_gpus(input, doc, data, limit)
					    : STATUS_OK;
}

/* Gives the samples away. */
static void add_samples(struct doc *doc, struct resource_data *data)
{
	doc_table(doc, "samples", NULL, data->samples)->flags =
		SECTION_MACHINE | SECTION_MAIN;
	data->samples = NULL;
	if (!data->gpu_samples->row_count)
		return;
	doc_table(doc, "gpu_samples", NULL, data->gpu_samples)->flags = SECTION_MACHINE;
	data->gpu_samples = NULL;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct resource_data data;
	struct run_facts facts;
	enum exit_status status = report_open(input, doc, &facts);

	if (status == STATUS_OK)
		status = resources_load(input, &data);
	if (status)
		return status;
	if (!data.sums.sample_count) {
		resources_add_none(doc, &facts);
		resources_free(&data);
		return STATUS_NOTHING;
	}
	resources_add_summary(doc, &data);
	resources_add_plots(doc, &data);
	resources_add_times(doc, &data, report_limit(input, TIME_ROWS));
	status = resources_add_processes(input, doc, &data,
					 report_limit(input, DEFAULT_ROWS));
	if (status == STATUS_OK)
		add_samples(doc, &data);
	resources_free(&data);
	return status;
}

const struct report report_resources = {
	.name = "resources",
	.summary = "CPU, memory, faults, I/O, threads, GPUs over time",
	.description =
		"What the collector read from /proc every 100 ms, and four times a "
		"second from NVIDIA's management library, when the machine has it: the "
		"whole run, its curves, then each process. --process shows one alone. "
		"csv has the samples over time, json has everything.",
	.example = "prof-analyze resources run.db",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_PROCESS,
	.build = build,
};
