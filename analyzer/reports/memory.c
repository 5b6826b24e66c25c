/* SPDX-License-Identifier: MIT */
/* Allocation sites: by bytes, count, share of the peak, temporary. */
#include "analyzer/reports/common.h"

#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/profile/parts.h"
#include "analyzer/reports/sites.h"
#include "analyzer/reports/source/parts.h"

#define DEFAULT_ROWS 20
#define ROWS_WITH_PATHS 5

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct run_facts facts;
	struct calltree *tree;
	struct table *table;
	struct section *section;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	tree = report_tree_load(input);
	if (!tree)
		return STATUS_FAILED;
	table = sites_table(input, &facts, tree, false);
	status = table ? report_sort(input, table, "alloc_bytes", "name") : STATUS_FAILED;
	if (status) {
		table_free(table);
		calltree_free(tree);
		return status;
	}
	table_show(table, "alloc_bytes_percent alloc_bytes alloc_count at_peak_percent "
			  "temporary_percent owner path");
	status = engine_add_brief(&report_memory_totals, input, doc, &facts, 0);
	if (status) {
		table_free(table);
		calltree_free(tree);
		return status;
	}
	section = report_add_table(doc, "allocation_sites", "Allocation sites", table,
				   report_limit(input, DEFAULT_ROWS), "site",
				   "alloc_bytes", "the bytes");
	section->flags = SECTION_MAIN;
	sites_add_paths(section->table, tree, report_path_rows(input, ROWS_WITH_PATHS));
	status = source_add(input, doc, &facts, tree, false);
	calltree_free(tree);
	if (status)
		return status;
	sites_thread_note(input, doc);
	report_counted_note(doc, &facts);
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	return input->options->page ? profile_add(input, doc, &facts) : STATUS_OK;
}

const struct report report_memory = {
	.name = "memory",
	.summary = "allocation sites by bytes, count, peak, temporary",
	.description =
		"One row for each source line of a call path that allocates. peak % is "
		"its "
		"exact share of the run's highest live memory; temp % are allocations "
		"freed with at most one other allocation of the thread in between. The "
		"function is the innermost one that is not a library's. The "
		"first rows show their call path. --sort takes bytes, count, peak, "
		"temporary_count and any json column. --focus and --ignore look at every "
		"function of the call path.",
	.example = "prof-analyze memory run.db --sort peak --focus parse",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_THREAD |
		 TAKES_SOURCE,
	.build = build,
};
