/* SPDX-License-Identifier: MIT */
/*
 * What this is:  what is worth fixing, worst first.
 * Runs on:       prof-analyze, main thread.
 * Must not:      print; look for anything itself: rules do.
 * See also:      bottlenecks_run.c; rules/registry.c.
 */
#include "analyzer/reports/bottlenecks.h"

static const struct column columns[] = {
	{"severity", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"score", NULL, COLUMN_FIGURE, COLUMN_KEEP},
	{"id", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"rule", NULL, COLUMN_TEXT, COLUMN_KEEP},
	{"function", NULL, COLUMN_NAME, COLUMN_KEEP},
};

static void add_findings(struct doc *doc, const struct findings *findings)
{
	struct table *table = table_new(columns, sizeof(columns) / sizeof(columns[0]));

	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *one = &findings->list[i];
		struct cell *row = table_add_row(table);

		row[0] = table_text(table, severity_word(one->severity));
		row[1] = cell_real(one->score);
		row[2] = table_text(table, one->rule->id);
		row[3] = table_text(table, one->rule->slug);
		row[4] = table_text(table, one->function);
	}
	doc_table(doc, "findings", "Findings", table)->flags = SECTION_MAIN;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct bottlenecks bottlenecks = {0};
	struct run_facts facts;
	struct calltree *tree;
	enum exit_status status = report_open(input, doc, &facts);

	if (status)
		return status;
	if (run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	tree = report_tree_load(input);
	if (!tree)
		return STATUS_FAILED;
	status = bottlenecks_run(input, &facts, tree, &bottlenecks);
	if (status == STATUS_OK)
		add_findings(doc, &bottlenecks.findings);
	bottlenecks_free(&bottlenecks);
	calltree_free(tree);
	return status;
}

const struct report report_bottlenecks = {
	.name = "bottlenecks",
	.summary = "what is worth fixing, worst first",
	.description = "Rules applied to the run.",
	.example = "prof-analyze bottlenecks run.db",
	.takes = TAKES_RUN,
	.build = build,
};
