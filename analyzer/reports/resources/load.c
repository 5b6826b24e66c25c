/* SPDX-License-Identifier: MIT */
/* The resource samples of a run, of --process, of one process on one GPU. */
#include "analyzer/reports/resources/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/snapshots/find.h"

#include "resources.sql.h"

#include <stdlib.h>
#include <string.h>

#define GPU_DEVICES 64 /* as many as the collector asks for */

static const struct column sample_columns[] = {
	{"process_id", NULL, COLUMN_ID, 0},	 {"pid", NULL, COLUMN_ID, 0},
	{"time_ns", NULL, COLUMN_NSEC, 0},	 {"cpu_percent", NULL, COLUMN_PERCENT, 0},
	{"rss_bytes", NULL, COLUMN_BYTES, 0},	 {"minor_faults", NULL, COLUMN_COUNT, 0},
	{"major_faults", NULL, COLUMN_COUNT, 0}, {"read_bytes", NULL, COLUMN_BYTES, 0},
	{"write_bytes", NULL, COLUMN_BYTES, 0},	 {"thread_count", NULL, COLUMN_COUNT, 0},
};

static const struct column gpu_columns[] = {
	{"process_id", NULL, COLUMN_ID, 0},
	{"pid", NULL, COLUMN_ID, 0},
	{"time_ns", NULL, COLUMN_NSEC, 0},
	{"device", NULL, COLUMN_ID, 0},
	{"memory_bytes", NULL, COLUMN_BYTES, 0},
	{"utilisation_percent", NULL, COLUMN_PERCENT, 0},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Rows with this number in the column, as a table of their own. */
static struct table *rows_with(const struct table *from, const char *name, int64_t wanted)
{
	struct table *part = table_new(from->columns, from->column_count);
	int column = table_column(from, name);

	for (size_t i = 0; i < from->row_count; i++)
		if (table_row(from, i)[column].integer == wanted)
			memcpy(table_add_row(part), table_row(from, i),
			       from->column_count * sizeof(struct cell));
	return part;
}

struct last_known {
	int64_t key;
	struct cell value;
};

static struct cell *last_of(struct last_known **list, size_t *count, size_t *capacity,
			    int64_t key)
{
	for (size_t i = 0; i < *count; i++)
		if ((*list)[i].key == key)
			return &(*list)[i].value;
	*list = xgrow(*list, *count, capacity, sizeof(**list));
	(*list)[*count] = (struct last_known){key, {.kind = CELL_NULL}};
	return &(*list)[(*count)++].value;
}

/* Utilisation is asked for less often than memory and holds for the time before: what is
 * not known gets the next value of the same process and device, the last ones the last.
 */
static void fill_utilisation(struct table *series)
{
	int key = table_column(series, "process_id");
	int percent = table_column(series, "cpu_percent");

	for (int pass = 0; pass < 2; pass++) {
		size_t count = 0, capacity = 0;
		struct last_known *list = NULL;

		for (size_t i = 0; i < series->row_count; i++) {
			size_t at = pass ? i : series->row_count - 1 - i;
			struct cell *row = table_row(series, at);
			struct cell *known =
				last_of(&list, &count, &capacity, row[key].integer);

			if (row[percent].kind == CELL_NULL)
				row[percent] = *known;
			*known = row[percent];
		}
		free(list);
	}
}

/* GPU samples in the shape that resources_add_up() takes: what a process does on one
 * device counts as a process. */
static void add_up_gpu(const struct table *samples, int64_t end_ns,
		       struct resource_sums *ret)
{
	struct table *series = table_new(sample_columns, COUNT(sample_columns));
	int64_t start_ns;

	for (size_t i = 0; i < samples->row_count; i++) {
		const struct cell *sample = table_row(samples, i);
		struct cell *row = table_add_row(series);
		uint64_t key = (uint64_t)sample[0].integer * GPU_DEVICES +
			       (uint64_t)sample[3].integer % GPU_DEVICES;

		row[table_column(series, "process_id")] = cell_integer((int64_t)key);
		row[table_column(series, "time_ns")] = sample[2];
		row[table_column(series, "rss_bytes")] = sample[4];
		row[table_column(series, "cpu_percent")] = sample[5];
	}
	fill_utilisation(series);
	start_ns = series->row_count ? table_cell(series, 0, "time_ns")->integer : 0;
	resources_add_up(series, start_ns, end_ns, ret);
	table_free(series);
}

void resources_of_process(const struct resource_data *data, int64_t process_id,
			  int64_t started_ns, struct resource_sums *ret)
{
	struct table *part = rows_with(data->samples, "process_id", process_id);

	resources_add_up(part, started_ns, data->sums.span_ns, ret);
	table_free(part);
}

void resources_of_gpu(const struct resource_data *data, int64_t process_id,
		      int64_t device, struct resource_sums *ret)
{
	struct table *own = rows_with(data->gpu_samples, "process_id", process_id);
	struct table *part = rows_with(own, "device", device);

	add_up_gpu(part, data->sums.span_ns, ret);
	table_free(part);
	table_free(own);
}

bool resources_knows_gpu(const struct resource_data *data, int64_t process_id,
			 int64_t device, const char *column)
{
	const struct table *table = data->gpu_samples;
	bool is_known = false;

	for (size_t i = 0; i < table->row_count; i++)
		is_known |= table_row(table, i)[0].integer == process_id &&
			    table_cell(table, i, "device")->integer == device &&
			    table_cell(table, i, column)->kind != CELL_NULL;
	return is_known;
}

/* That of --process, and when it started. */
static enum exit_status find_process(struct report_input *input,
				     struct resource_data *data)
{
	struct cursor *cursor;
	struct snapshot_list list;
	enum exit_status status;

	if (!input->options->process)
		return STATUS_OK;
	status = snapshot_list_load(input, &list);
	if (status == STATUS_OK)
		data->process_id = list.processes[0].process_id;
	snapshot_list_free(&list);
	if (status)
		return STATUS_FAILED;
	cursor = report_query(input, resources_sql_processes);
	while (cursor_next(cursor) > 0) {
		if (cursor_integer(cursor, "process_id") == data->process_id)
			data->started_ns = cursor_integer(cursor, "started_ns");
	}
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

static void keep_process(struct table **table, int64_t process_id)
{
	struct table *part = rows_with(*table, "process_id", process_id);

	table_free(*table);
	*table = part;
}

enum exit_status resources_load(struct report_input *input, struct resource_data *ret)
{
	enum exit_status status;

	*ret = (struct resource_data){.process_id = 0};
	status = find_process(input, ret);
	if (status)
		return status;
	ret->samples = report_table(input, resources_sql_samples, sample_columns,
				    COUNT(sample_columns));
	if (!ret->samples)
		return STATUS_FAILED;
	ret->gpu_samples = report_table(input, resources_sql_gpu_samples, gpu_columns,
					COUNT(gpu_columns));
	if (!ret->gpu_samples) {
		table_free(ret->samples);
		return STATUS_FAILED;
	}
	if (ret->process_id) {
		keep_process(&ret->samples, ret->process_id);
		keep_process(&ret->gpu_samples, ret->process_id);
	}
	resources_add_up(ret->samples, ret->started_ns, 0, &ret->sums);
	add_up_gpu(ret->gpu_samples, ret->sums.span_ns, &ret->gpu_sums);
	return STATUS_OK;
}

void resources_free(struct resource_data *data)
{
	if (data->samples)
		table_free(data->samples);
	if (data->gpu_samples)
		table_free(data->gpu_samples);
	*data = (struct resource_data){.process_id = 0};
}
