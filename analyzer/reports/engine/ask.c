/* SPDX-License-Identifier: MIT */
/* Queries of reports: their parameters and functions. */
#include "analyzer/reports/engine/ask.h"

#include "common/samples/poisson.h"
#include "analyzer/model/shorten.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/columns.h"
#include "analyzer/reports/engine/range.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/snapshots/list.h"
#include "analyzer/reports/trust/trust.h"

#include <stdlib.h>

#define SHORT_NAME 120 /* columns, in sentences */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct calltree *tree_of(struct ask *ask)
{
	if (!ask->tree && !ask->status) {
		ask->tree = report_tree_load(ask->input);
		ask->status = ask->tree ? STATUS_OK : STATUS_FAILED;
	}
	return ask->tree;
}

static const char *name_of(const struct cell *value)
{
	return value->kind == CELL_TEXT ? value->text : "?";
}

static struct cell passes(void *context, const struct cell *values)
{
	struct filter *filter = &((struct ask *)context)->input->filter;

	if (filter_is_active(filter))
		filter_found(filter); /* there are such things, which are no functions */
	return cell_integer(filter_passes_name(filter, name_of(&values[0])));
}

static struct cell is_chosen(void *context, const struct cell *values)
{
	struct ask *ask = context;
	const struct calltree *tree;
	uint32_t node;

	if (!filter_is_active(&ask->input->filter))
		return cell_integer(1);
	tree = tree_of(ask);
	if (tree && !ask->chosen)
		ask->chosen = filter_paths(&ask->input->filter, tree, false);
	node = tree ? calltree_find(tree, cell_whole(&values[0])) : CALLTREE_NONE;
	return cell_integer(node != CALLTREE_NONE && ask->chosen[node]);
}

/* A text that lives until the next call. */
static struct cell text_cell(struct ask *ask)
{
	return (struct cell){.kind = CELL_TEXT, .text = strbuf_text(&ask->text)};
}

static struct cell signal_name(void *context, const struct cell *values)
{
	struct ask *ask = context;

	strbuf_reset(&ask->text);
	trust_signal_name(&ask->text, (int)cell_whole(&values[0]));
	return text_cell(ask);
}

static struct cell short_name(void *context, const struct cell *values)
{
	struct ask *ask = context;

	if (values[0].kind != CELL_TEXT)
		return values[0];
	strbuf_reset(&ask->text);
	shorten_name(&ask->text, values[0].text, SHORT_NAME, &shorten_ascii);
	return text_cell(ask);
}

static struct cell people(void *context, const struct cell *values)
{
	struct ask *ask = context;

	if (values[1].kind == CELL_NULL)
		return values[1];
	strbuf_reset(&ask->text);
	columns_put(&ask->text, &values[1], columns_type(name_of(&values[0])));
	return text_cell(ask);
}

static struct cell counted(void *context, const struct cell *values)
{
	struct ask *ask = context;

	strbuf_reset(&ask->text);
	units_counted(&ask->text, cell_whole(&values[1]), name_of(&values[0]));
	return text_cell(ask);
}

/* Half of the interval, for a time that so many samples stand for. */
static struct cell chance(void *context, const struct cell *values)
{
	double count = cell_number(&values[0]), ns = cell_number(&values[1]);

	(void)context;
	return cell_real(count > 0 ? (poisson_high(count) - poisson_low(count)) / 2 * ns /
					     count
				   : 0);
}

static struct cell limit_of(void *context, const struct cell *values)
{
	const struct ask *ask = context;
	size_t limit = report_limit(ask->input, (size_t)cell_whole(&values[0]));

	return cell_integer(limit ? (int64_t)limit : INT64_MAX);
}

static const struct {
	const char *name;
	int count;
	struct cell (*call)(void *context, const struct cell *values);
} functions[] = {
	{"passes", 1, passes},		 {"is_chosen", 1, is_chosen},
	{"signal_name", 1, signal_name}, {"short_name", 1, short_name},
	{"people", 2, people},		 {"counted", 2, counted},
	{"limit_of", 1, limit_of},	 {"chance", 2, chance},
};

/* Which process --process means. */
static enum exit_status find_process(struct ask *ask)
{
	struct snapshot_list list;
	enum exit_status status;

	if (!ask->input->options->process)
		return STATUS_OK;
	status = snapshot_list_load(ask->input, &list);
	if (status == STATUS_OK)
		ask->process_id = list.processes[0].process_id;
	snapshot_list_free(&list);
	return status;
}

enum exit_status ask_begin(struct ask *ask)
{
	enum exit_status status;

	for (size_t i = 0; i < COUNT(functions); i++)
		if (rundb_function(ask->input->db, functions[i].name, functions[i].count,
				   functions[i].call, ask) < 0)
			return report_fail_db(ask->input);
	status = find_process(ask);
	return status ? status
		      : range_find(ask->input, ask->facts->wall_ns, &ask->from_ns,
				   &ask->to_ns);
}

void ask_end(struct ask *ask)
{
	for (size_t i = 0; i < COUNT(functions); i++)
		rundb_function(ask->input->db, functions[i].name, functions[i].count,
			       NULL, NULL);
	calltree_free(ask->tree);
	free(ask->chosen);
	strbuf_free(&ask->text);
	ask->tree = NULL;
	ask->chosen = NULL;
}

static void bind(void *context, struct cursor *cursor)
{
	const struct ask *ask = context;
	const struct report_options *options = ask->input->options;
	const struct {
		const char *name;
		int64_t value;
	} numbers[] = {
		{":run", ask->input->run_id},
		{":process", ask->process_id},
		{":machine", options->machine},
		{":is_filtered", filter_is_active(&ask->input->filter)},
		{":is_sorted", options->sort != NULL},
		{":is_live", ask->facts->is_live},
		{":is_attended", ask->facts->is_attended},
		{":running_pid", rundb_running_pid(ask->input->db)},
		{":live_pid", rundb_live_pid(ask->input->db)},
		{":is_brief", ask->is_brief},
		{":from", ask->from_ns},
		{":to", ask->to_ns},
		{":wall_ns", ask->facts->wall_ns},
		{":calls", ask->facts->calls},
		{":plain_sample_count", ask->facts->plain_sample_count},
		{":thread_count", ask->facts->thread_count},
		{":estimated_count",
		 ask->facts->sampled_count + ask->facts->counted_count},
	};
	struct hooks_cost hooks =
		hooks_percent(hooks_total(&ask->facts->hooks),
			      (double)(ask->facts->thread_ns ? ask->facts->thread_ns
							     : ask->facts->wall_ns));

	cursor_bind_text(cursor, ":thread", options->thread);
	for (size_t i = 0; i < COUNT(numbers); i++)
		cursor_bind_integer(cursor, numbers[i].name, numbers[i].value);
	cursor_bind_real(cursor, ":hooks_percent", hooks.ns);
	cursor_bind_real(cursor, ":hooks_error_percent", hooks.error_ns);
}

enum exit_status ask_keep(struct ask *ask, const char *name, const char *sql)
{
	if (rundb_keep_bound(ask->input->db, name, sql, bind, ask) < 0)
		return ask->status ? ask->status : report_fail_db(ask->input);
	return ask->status;
}

struct table *ask_rows(struct ask *ask, const char *sql)
{
	struct cursor *cursor = rundb_query(ask->input->db, sql);
	struct table *table;

	bind(ask, cursor);
	table = columns_read(ask->input, cursor);
	if (!ask->status)
		return table;
	table_free(table);
	return NULL;
}

struct cell ask_chain(struct ask *ask, struct table *table, int64_t path_id)
{
	const struct calltree *tree = tree_of(ask);

	if (!tree)
		return (struct cell){.kind = CELL_NULL};
	return report_chain(table, tree, calltree_find(tree, path_id));
}
