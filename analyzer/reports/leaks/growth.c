/* SPDX-License-Identifier: MIT */
/*
 * How allocation sites developed over the snapshots of a run. Must not call a trend a
 * leak; nor take snapshots of several processes together.
 */
#include "analyzer/reports/leaks/parts.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/sections.h"
#include "analyzer/reports/sites.h"
#include "analyzer/reports/snapshots/find.h"
#include "analyzer/statistics/leak_class.h"

#include "leaks.sql.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_ROWS 20
#define ROWS_WITH_PATHS 5
/* The work for a site grows with the square of its points: of more snapshots so many are
 * taken, evenly, the first and the last among them. */
#define POINTS_MOST 64

static const struct column columns[] = {
	{"class", "growth", COLUMN_TEXT, COLUMN_KEEP},
	{"growth_bytes", "+live", COLUMN_BYTES_CHANGE, COLUMN_KEEP},
	{"bytes_per_second", "per s", COLUMN_BYTES_CHANGE, COLUMN_KEEP},
	{"live_bytes", "live", COLUMN_BYTES, 0},
	{"p", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"pid", NULL, COLUMN_ID, COLUMN_MACHINE},
	SITE_COLUMNS,
};

struct finding {
	struct leak_verdict verdict;
	double first, last;
	int64_t pid, site_id, path_id;
	const char *file; /* in growth.texts */
	uint32_t line;
};

struct freed {
	int64_t site_id;
	double bytes;
};

struct growth {
	struct report_input *input;
	const struct calltree *tree;
	const struct leak_filter *filter;
	const bool *passes;
	/* The process at hand. */
	const struct snapshot_process *process;
	size_t point_count;
	int64_t ids[POINTS_MOST];
	double seconds[POINTS_MOST], bytes[POINTS_MOST];
	struct freed *freed; /* by site */
	size_t freed_count, freed_capacity;
	/* Of all. */
	struct finding *findings;
	size_t count, capacity;
	size_t site_count; /* looked at */
	bool anything;	   /* is live at the end: worth an advice */
	struct arena texts;
};

static void choose_points(struct growth *growth, const struct snapshot_list *list)
{
	size_t count = growth->process->count;
	size_t points = count < POINTS_MOST ? count : POINTS_MOST;

	growth->point_count = points;
	for (size_t i = 0; i < points; i++) {
		size_t at = i * (count - 1) / (points - 1);
		const struct snapshot *snapshot =
			&list->snapshots[growth->process->first + at];

		growth->ids[i] = snapshot->snapshot_id;
		growth->seconds[i] = (double)snapshot->time_ns / 1e9;
	}
}

static int load_freed(struct growth *growth)
{
	struct cursor *cursor = report_query(growth->input, leaks_sql_freed_after_last);

	growth->freed_count = 0;
	cursor_bind_integer(cursor, ":process", growth->process->process_id);
	cursor_bind_integer(cursor, ":last", growth->ids[growth->point_count - 1]);
	while (cursor_next(cursor) > 0) {
		int64_t site_id = cursor_integer(cursor, "site_id");
		struct freed *last = growth->freed_count
					     ? &growth->freed[growth->freed_count - 1]
					     : NULL;

		if (last && last->site_id == site_id) {
			last->bytes += cursor_real(cursor, "free_bytes");
			continue;
		}
		growth->freed = xgrow(growth->freed, growth->freed_count,
				      &growth->freed_capacity, sizeof(*growth->freed));
		growth->freed[growth->freed_count++] =
			(struct freed){site_id, cursor_real(cursor, "free_bytes")};
	}
	return report_finish(growth->input, cursor);
}

static int compare_freed(const void *left, const void *right)
{
	const struct freed *a = left, *b = right;

	return (a->site_id > b->site_id) - (a->site_id < b->site_id);
}

static double freed_after_last(const struct growth *growth, int64_t site_id)
{
	struct freed wanted = {.site_id = site_id}, *found = NULL;

	if (growth->freed_count)
		found = bsearch(&wanted, growth->freed, growth->freed_count,
				sizeof(wanted), compare_freed);
	return found ? found->bytes : 0;
}

static bool is_wanted(const struct growth *growth, const struct finding *site)
{
	uint32_t node = calltree_find(growth->tree, site->path_id);

	if (growth->passes && (node == CALLTREE_NONE || !growth->passes[node]))
		return false;
	return leak_filter_find(growth->filter, site->path_id, site->file) ==
	       SUPPRESS_NONE;
}

/* A site is complete: its verdict. */
static int judge(struct growth *growth, struct finding *site)
{
	size_t last = growth->point_count - 1;
	int result;

	if (!site->site_id || !is_wanted(growth, site))
		return 0;
	growth->site_count++;
	site->pid = growth->process->pid;
	site->first = growth->bytes[0];
	site->last = growth->bytes[last];
	result = leak_classify(growth->seconds, growth->bytes, growth->point_count,
			       freed_after_last(growth, site->site_id), &site->verdict);
	if (result == -ENOMEM)
		return result;
	/* -EDOM: all snapshots at one time; no trend can be seen. */
	if (result < 0 || site->verdict.class == LEAK_NO_TREND)
		return 0;
	growth->findings = xgrow(growth->findings, growth->count, &growth->capacity,
				 sizeof(*growth->findings));
	growth->findings[growth->count++] = *site;
	return 0;
}

static void start_site(struct growth *growth, struct cursor *cursor, struct finding *ret)
{
	const char *file = cursor_text(cursor, "file");

	*ret = (struct finding){
		.site_id = cursor_integer(cursor, "site_id"),
		.path_id = cursor_integer(cursor, "path_id"),
		.line = (uint32_t)cursor_integer(cursor, "line"),
	};
	if (file)
		ret->file = arena_copy(&growth->texts, file, strlen(file));
	memset(growth->bytes, 0, sizeof(growth->bytes));
}

static int look_at_process(struct growth *growth, const struct snapshot_list *list)
{
	struct finding site = {0};
	struct cursor *cursor;
	int result;

	choose_points(growth, list);
	result = load_freed(growth);
	if (result < 0)
		return result;
	cursor = report_query(growth->input, leaks_sql_growth);
	cursor_bind_integer(cursor, ":process", growth->process->process_id);
	while (result == 0 && cursor_next(cursor) > 0) {
		int64_t from = cursor_integer(cursor, "snapshot_id"),
			to = cursor_integer(cursor, "until_id");

		if (cursor_integer(cursor, "site_id") != site.site_id) {
			result = judge(growth, &site);
			start_site(growth, cursor, &site);
		}
		for (size_t i = 0; i < growth->point_count; i++)
			if (growth->ids[i] >= from && growth->ids[i] < to)
				growth->bytes[i] = cursor_real(cursor, "live_bytes");
	}
	if (result == 0)
		result = judge(growth, &site);
	return report_finish(growth->input, cursor) < 0 ? -EIO : result;
}

static int compare_findings(const void *left, const void *right)
{
	const struct finding *a = left, *b = right;
	double x = a->last - a->first, y = b->last - b->first;
	int order = (int)a->verdict.class - (int)b->verdict.class;

	if (order == 0)
		order = (x < y) - (x > y);
	if (order == 0)
		order = (a->site_id > b->site_id) - (a->site_id < b->site_id);
	return order;
}

static void add_row(const struct growth *growth, struct table *table,
		    const struct finding *finding, bool with_path)
{
	const struct calltree *tree = growth->tree;
	uint32_t node = calltree_find(tree, finding->path_id);
	struct cell *row = table_add_row(table);
	struct site_place place;

	row[0] = table_text(table, leak_class_name(finding->verdict.class));
	row[1] = cell_integer(whole_number(finding->last - finding->first));
	row[2] = cell_real(finding->verdict.slope);
	row[3] = cell_integer(whole_number(finding->last));
	row[4] = cell_real(finding->verdict.p);
	row[5] = cell_integer(finding->pid);
	place = site_place_of(tree, node, finding->file, finding->line);
	row[7] = row[9] = site_cell(table, place);
	row[13] = site_line_of(place);
	row[11] = cell_integer(finding->path_id);
	row[12] = cell_integer(finding->site_id);
	if (node == CALLTREE_NONE)
		return;
	row[6] = table_text(table, calltree_owner_name(tree, node));
	row[8] = table_text(table, calltree_name(tree, node));
	if (with_path)
		row[10] = site_chain(table, tree, node, !growth->input->options->machine);
}

static void add_table(struct report_input *input, struct doc *doc, struct growth *growth,
		      const char *title, size_t process_count)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));
	size_t with_paths = report_path_rows(input, ROWS_WITH_PATHS);
	size_t counts[LEAK_NO_TREND + 1] = {0};
	struct strbuf text = {0};
	struct section *section;

	if (growth->count)
		qsort(growth->findings, growth->count, sizeof(*growth->findings),
		      compare_findings);
	for (size_t i = 0; i < growth->count; i++) {
		add_row(growth, table, &growth->findings[i], i < with_paths);
		counts[growth->findings[i].verdict.class]++;
	}
	if (process_count > 1)
		table->columns[table_column(table, "pid")].flags = 0;
	section = report_add_table(doc, "growth", title, table,
				   report_limit(input, DEFAULT_ROWS), "site", NULL, NULL);
	if (!growth->count)
		section->flags = SECTION_MACHINE;
	strbuf_puts(&text, "Of ");
	units_counted(&text, (int64_t)growth->site_count, "site");
	strbuf_puts(&text, " at the snapshots: ");
	for (size_t i = 0; i < LEAK_NO_TREND; i++)
		strbuf_printf(&text, "%s%zu %s", i ? ", " : "", counts[i],
			      leak_class_name((enum leak_class)i));
	strbuf_puts(&text, "; the others show no trend.");
	if (growth->site_count)
		doc_note(doc, "growth_sites", NOTE_PLAIN, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static void add_too_few(struct doc *doc, size_t most)
{
	struct strbuf text = {0};

	strbuf_puts(&text, "Growth over time needs five snapshots of a process; there ");
	strbuf_puts(&text, most == 1 ? "is " : "are ");
	if (most)
		strbuf_printf(&text, "%zu.", most);
	else
		strbuf_puts(&text, "none.");
	doc_note(doc, "few_snapshots", NOTE_PLAIN, strbuf_text(&text),
		 "PROFSHIM_SNAPSHOT_EVERY=2s takes them while the program runs.");
	strbuf_free(&text);
}

static enum exit_status look(struct growth *growth, struct doc *doc,
			     const struct snapshot_list *list)
{
	size_t most = 0, processes = 0;
	struct strbuf title = {0};

	for (size_t i = 0; i < list->process_count; i++) {
		growth->process = &list->processes[i];
		if (growth->process->count > most)
			most = growth->process->count;
		if (growth->process->count < LEAK_POINTS_LEAST)
			continue;
		processes++;
		if (look_at_process(growth, list) < 0)
			return report_fail_db(growth->input);
	}
	strbuf_puts(&title, "Growth over ");
	if (processes == 1)
		strbuf_printf(&title, "%zu snapshots", most);
	else
		strbuf_printf(&title, "the snapshots of %zu processes", processes);
	if (processes)
		add_table(growth->input, doc, growth, doc_copy(doc, strbuf_text(&title)),
			  processes);
	else if (growth->anything)
		add_too_few(doc, most);
	strbuf_free(&title);
	return STATUS_OK;
}

SECTION_CODE(growth)
{
	struct growth growth = {.input = ask->input,
				.tree = ask_tree(ask),
				.filter = ask_suppressions(ask)};
	bool *passes = NULL;
	struct snapshot_list list;
	enum exit_status status;

	if (ask->status || !rows->row_count)
		return ask->status;
	growth.anything = cell_whole(table_cell(rows, 0, "has_leaked")) != 0;
	status = snapshot_list_load(ask->input, &list);
	if (filter_is_active(&ask->input->filter))
		passes = filter_paths(&ask->input->filter, growth.tree, false);
	growth.passes = passes;
	if (status == STATUS_OK)
		status = look(&growth, doc, &list);
	free(passes);
	free(growth.freed);
	free(growth.findings);
	arena_free(&growth.texts);
	snapshot_list_free(&list);
	return status;
}
