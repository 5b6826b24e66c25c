/* SPDX-License-Identifier: MIT */
/*
 * What was live at the end, by allocation site. Must not call everything that is live a
 * leak.
 */
#include "analyzer/reports/leaks/parts.h"

#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/sites.h"
#include "analyzer/reports/trust/trust.h"

#include "leaks.sql.h"

#define DEFAULT_ROWS 20
#define ROWS_WITH_PATHS 10

static void add_totals(struct doc *doc, const struct run_facts *facts,
		       const struct table *table, const struct leak_filter *filter)
{
	struct section *section =
		doc_values(doc, "leaks", facts->is_live ? "Live now" : "Live at exit");
	struct strbuf text = {0};
	int64_t bytes = whole_number(table_sum(table, "live_bytes"));
	int64_t blocks = whole_number(table_sum(table, "live_count"));

	doc_add_machine(section, "live_bytes_at_exit", COLUMN_BYTES,
			cell_integer(facts->live_bytes));
	doc_add_machine(section, "live_bytes", COLUMN_BYTES, cell_integer(bytes));
	doc_add_machine(section, "live_count", COLUMN_COUNT, cell_integer(blocks));
	if (!blocks) {
		doc_add_human(
			doc, section, "live",
			leak_filter_is_used(filter)
				? "nothing that is not suppressed"
				: "nothing: everything that was allocated was freed");
		return;
	}
	units_bytes(&text, bytes);
	strbuf_puts(&text, " in ");
	units_counted(&text, blocks, "block");
	strbuf_puts(&text, " from ");
	units_counted(&text, (int64_t)table->row_count, "site");
	strbuf_puts(&text, ", ");
	units_percent(&text, units_share((double)bytes, (double)facts->alloc_bytes));
	strbuf_puts(&text, " of all bytes allocated");
	doc_add_human(doc, section, "live", strbuf_text(&text));
	strbuf_free(&text);
}

static void add_process_note(struct doc *doc, struct cursor *cursor)
{
	int64_t bytes = cursor_integer(cursor, "live_bytes_at_exit");
	int signal_number = (int)cursor_integer(cursor, "exit_signal");
	struct strbuf text = {0};

	strbuf_printf(&text, "Process %lld ", (long long)cursor_integer(cursor, "pid"));
	if (signal_number) {
		strbuf_puts(&text, "was killed by ");
		trust_signal_name(&text, signal_number);
	} else {
		strbuf_puts(&text, "did not end by itself");
	}
	strbuf_puts(&text, " and could not free its ");
	units_bytes(&text, bytes);
	strbuf_puts(&text, ".");
	doc_note(doc, "process_end", NOTE_WARNING, strbuf_text(&text), NULL);
	strbuf_free(&text);
}

static enum exit_status add_notes(struct report_input *input, struct doc *doc,
				  bool anything)
{
	struct cursor *cursor;

	if (rundb_live_pid(input->db))
		return STATUS_OK;
	if (anything)
		doc_note(doc, "not_all_leaks", NOTE_PLAIN,
			 "Live at exit is not necessarily a leak: caches, tables built "
			 "once "
			 "and whatever main() still held are here too. Growth between "
			 "equal moments is the better witness.",
			 NULL);
	cursor = report_query(input, leaks_sql_unfinished);
	while (cursor_next(cursor) > 0)
		add_process_note(doc, cursor);
	return report_finish(input, cursor) < 0 ? STATUS_FAILED : STATUS_OK;
}

static enum exit_status add_sites(struct report_input *input, struct doc *doc,
				  const struct run_facts *facts,
				  const struct calltree *tree, struct leak_filter *filter,
				  bool *ret_anything)
{
	struct table *table = sites_table(input, facts, tree, true);
	struct section *section;
	enum exit_status status;

	status = table ? report_sort(input, table, "live_bytes", "name") : STATUS_FAILED;
	if (status) {
		table_free(table);
		return status;
	}
	leak_filter_apply(filter, table);
	*ret_anything = table->row_count > 0;
	table_show(table, "live_percent live_bytes live_count alloc_count owner path");
	add_totals(doc, facts, table, filter);
	section = report_add_table(doc, "allocation_sites", NULL, table,
				   report_limit(input, DEFAULT_ROWS), "site",
				   "live_bytes", "the live bytes");
	section->flags = SECTION_MAIN | (*ret_anything ? 0 : SECTION_MACHINE);
	sites_add_paths(section->table, tree, report_path_rows(input, ROWS_WITH_PATHS));
	leak_filter_report(doc, filter);
	return STATUS_OK;
}

static enum exit_status add_sections(struct report_input *input, struct doc *doc,
				     const struct run_facts *facts,
				     const struct calltree *tree,
				     struct leak_filter *filter)
{
	bool anything = false;
	enum exit_status status = add_sites(input, doc, facts, tree, filter, &anything);

	if (status)
		return status;
	sites_thread_note(input, doc);
	if (run_facts_empty(facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	/* Snapshots know processes, not threads. */
	if (!input->options->thread)
		status = leaks_add_growth(input, doc, tree, filter, anything);
	return status ? status : add_notes(input, doc, anything);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct leak_filter filter = {0};
	struct calltree *tree = NULL;
	struct run_facts facts;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	tree = report_tree_load(input);
	status = tree ? leak_filter_load(input, tree, &filter) : STATUS_FAILED;
	if (status == STATUS_OK)
		status = add_sections(input, doc, &facts, tree, &filter);
	leak_filter_free(&filter);
	calltree_free(tree);
	return status;
}

const struct report report_leaks = {
	.name = "leaks",
	.summary = "what was live at exit, by allocation site",
	.description =
		"Blocks that were allocated in the run and not freed by its end, by "
		"source line and call path. Not everything here is a leak. With five or "
		"more snapshots of a process: which sites grow, saturate (a cache that "
		"fills up), made one step or were freed at the end, by Theil-Sen slope "
		"and Mann-Kendall test at 5 %. --suppressions takes LeakSanitizer's "
		"files: leak:PATTERN leaves out what matches the name, file or library "
		"of "
		"a function on the call path, and counts it. --focus and --ignore look "
		"at "
		"every function of the call path.",
	.example = "prof-analyze leaks run.db --ignore cache_init",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_THREAD |
		 TAKES_SUPPRESSIONS,
	.build = build,
};
