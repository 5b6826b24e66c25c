/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what was live at the end, by allocation site.
 * Runs on:       prof-analyze, main thread.
 * Must not:      call everything that is live a leak.
 * See also:      sites.c, the table; leaks.sql.
 */
#include "analyzer/reports/common.h"

#include "analyzer/base/utf8.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/trust.h"

#include "leaks.sql.h"

#define DEFAULT_ROWS 20
#define ROWS_WITH_PATHS 10

static void add_totals(struct doc *doc, const struct run_facts *facts,
		       const struct table *table)
{
	struct section *section =
		doc_values(doc, "leaks", facts->is_live ? "Live now" : "Live at exit");
	struct strbuf text = {0};
	int64_t bytes = whole_number(table_sum(table, "live_bytes"));
	int64_t blocks = whole_number(table_sum(table, "live_count"));

	doc_add_flagged(section, "live_bytes_at_exit", NULL, COLUMN_BYTES,
			cell_integer(facts->live_bytes), COLUMN_MACHINE);
	doc_add_flagged(section, "live_bytes", NULL, COLUMN_BYTES, cell_integer(bytes),
			COLUMN_MACHINE);
	doc_add_flagged(section, "live_count", NULL, COLUMN_COUNT, cell_integer(blocks),
			COLUMN_MACHINE);
	if (!blocks) {
		doc_add_human(doc, section, "live",
			      "nothing: everything that was allocated was freed");
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
	int64_t bytes = cursor_integer(cursor, 2);
	int signal_number = (int)cursor_integer(cursor, 1);
	struct strbuf text = {0};

	strbuf_printf(&text, "Process %lld ", (long long)cursor_integer(cursor, 0));
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
	int result;

	if (rundb_live_pid(input->db))
		return STATUS_OK;
	if (anything)
		doc_note(doc, "not_all_leaks", NOTE_PLAIN,
			 "Live at exit is not necessarily a leak: caches, tables built "
			 "once "
			 "and whatever main() still held are here too. Growth between "
			 "equal moments is the better witness.",
			 NULL);
	if (report_query(input, leaks_sql_unfinished, &cursor) < 0)
		return STATUS_FAILED;
	while ((result = cursor_next(cursor)) > 0)
		add_process_note(doc, cursor);
	cursor_close(cursor);
	return result < 0 ? report_fail_db(input) : STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	struct calltree *tree;
	struct table *table;
	struct section *section;
	bool anything;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	tree = report_tree_load(input);
	if (!tree)
		return STATUS_FAILED;
	table = sites_table(input, &facts, tree, true);
	status = table ? report_sort(input, table, "live_bytes", "name") : STATUS_FAILED;
	if (status) {
		table_free(table);
		calltree_free(tree);
		return status;
	}
	anything = table->row_count > 0;
	table_show(table, "live_percent live_bytes live_count alloc_count owner path");
	add_totals(doc, &facts, table);
	section = report_add_table(doc, "allocation_sites", NULL, table,
				   report_limit(input, DEFAULT_ROWS), "site",
				   "live_bytes", "the live bytes");
	section->flags = SECTION_MAIN | (anything ? 0 : SECTION_MACHINE);
	sites_add_paths(section->table, tree,
			input->options->machine ? SIZE_MAX : ROWS_WITH_PATHS);
	calltree_free(tree);
	sites_thread_note(input, doc);
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	return add_notes(input, doc, anything);
}

const struct report report_leaks = {
	.name = "leaks",
	.summary = "what was live at exit, by allocation site",
	.description =
		"Blocks that were allocated in the run and not freed by its end, by "
		"source "
		"line and call path. Not everything here is a leak. --focus and --ignore "
		"look at every function of the call path.",
	.example = "prof-analyze leaks run.db --ignore cache_init",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_THREAD,
	.build = build,
};
