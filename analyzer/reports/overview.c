/* SPDX-License-Identifier: MIT */
/*
 * The report: a run on one page. Must not print, or show an empty section (it says why
 * instead).
 */
#include "analyzer/reports/report.h"

#include "common/base/xalloc.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/bottlenecks/parts.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/profile/parts.h"
#include "analyzer/reports/trust/facts.h"

#include <math.h>
#include <stdlib.h>

#define FINDINGS 3
#define FUNCTION_ROWS 10
#define PATH_ROWS 5
#define SITE_ROWS 5
#define PROCESS_ROWS 5
#define STEP_ROWS 5
#define SPAN_ROWS 15
#define COMPONENT_ROWS 8
#define RECORDING_ROWS 20

/* The report is one page in every format; --limit changes all its tables. */
static size_t rows(const struct report_input *input, size_t usual)
{
	if (input->options->limit >= 0)
		return (size_t)input->options->limit;
	return input->options->page && usual < REPORT_PAGE_ROWS ? REPORT_PAGE_ROWS
								: usual;
}

static const struct column path_columns[] = {
	{"self_cpu_ns", "self CPU", COLUMN_NSEC, COLUMN_KEEP},
	{"self_cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"self_ns", "self", COLUMN_NSEC, COLUMN_KEEP},
	{"self_percent", "share", COLUMN_PERCENT, COLUMN_KEEP},
	{"cpu_ns", "total CPU", COLUMN_NSEC, COLUMN_KEEP},
	{"cpu_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"total_ns", "total", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"recording", "timed", COLUMN_TEXT, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"path", "call path", COLUMN_CHAIN, COLUMN_DETAIL},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"self_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"self_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"total_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
};

/* What a path computed itself; its self time if waits were not told apart. */
static int64_t own_ns(const struct calltree_node *node)
{
	return node->self_ns - node->self_ready_ns - node->self_blocked_ns;
}

static int by_self(const void *left, const void *right, void *context)
{
	const struct calltree *tree = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	int64_t x = own_ns(&tree->nodes[a]), y = own_ns(&tree->nodes[b]);

	return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

static double sum_of(const struct calltree *tree, const uint32_t *paths, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (double)own_ns(&tree->nodes[paths[i]]);
	return sum;
}

/* Adds call paths by their own computing, recursion folded: where the time really
 * goes. */
static void add_paths(struct report_input *input, struct doc *doc)
{
	size_t limit = rows(input, PATH_ROWS), count = 0;
	struct calltree *tree = calltree_fold(report_call_tree(input));
	auto_free bool *passes = filter_paths(&input->filter, tree, false);
	auto_free uint32_t *paths = xreallocarray(NULL, tree->node_count, sizeof(*paths));
	bool is_split = run_fact(&input->facts, "is_split") != 0;
	struct hooks_cost all = run_facts_program(&input->facts);
	struct section *section;
	struct table *table =
		table_new(path_columns, sizeof(path_columns) / sizeof(path_columns[0]));

	for (size_t i = 0; i < tree->order_count; i++)
		if (passes[tree->order[i]] && own_ns(&tree->nodes[tree->order[i]]) > 0)
			paths[count++] = tree->order[i];
	qsort_r(paths, count, sizeof(*paths), by_self, tree);
	for (size_t i = 0; i < count && (!limit || i < limit); i++) {
		const struct calltree_node *node = &tree->nodes[paths[i]];
		struct cell *row = table_add_row(table);
		double self_ns = (double)own_ns(node);
		double error_ns = (double)node->self_error_ns;
		double cpu_ns =
			(double)(node->total_ns - node->ready_ns - node->blocked_ns);
		double cpu_error_ns = (double)node->total_error_ns;

		report_fit(input, fmin(all.ns + all.error_ns, cpu_ns + cpu_error_ns),
			   &self_ns, &error_ns);
		report_fit(input, all.ns + all.error_ns, &cpu_ns, &cpu_error_ns);
		row[0] = cell_integer(whole_number(self_ns));
		row[1] = cell_integer(whole_number(error_ns));
		row[2] = cell_integer(node->self_ns);
		row[3] = cell_real(units_share(self_ns, all.ns));
		row[4] = cell_integer(whole_number(cpu_ns));
		row[5] = cell_integer(whole_number(cpu_error_ns));
		row[6] = cell_integer(node->total_ns);
		if (!node->is_frame)
			row[7] = cell_integer(node->calls);
		row[8] = table_text(table, calltree_recording_word(node));
		row[9] = table_text(table, calltree_name(tree, paths[i]));
		row[10] = report_chain(table, tree, paths[i]);
		row[11] = cell_integer(node->path_id);
		row[12] = cell_real(units_share(error_ns, all.ns));
		row[13] = cell_integer(node->self_error_ns);
		row[14] = cell_integer(node->total_error_ns);
	}
	table_show(table, is_split ? "self_cpu_ns self_percent cpu_ns calls name path"
				   : "self_ns self_percent total_ns calls name path");
	table->columns[is_split ? 0 : 2].flags |= COLUMN_SORTED;
	section = doc_table(doc, "call_paths", "Hot paths", table);
	section->total_row_count = count;
	section->footer = report_footer(
		doc, &(struct report_shown){table->row_count, count, "path",
					    sum_of(tree, paths, table->row_count),
					    sum_of(tree, paths, count),
					    is_split ? "CPU time" : "self time", NULL});
}

static void add_calls(struct report_input *input, struct doc *doc)
{
	if (run_fact(&input->facts, "calls") || run_fact(&input->facts, "self_ns")) {
		engine_add_brief(&report_functions, input, doc,
				 rows(input, FUNCTION_ROWS));
		add_paths(input, doc);
		return;
	}
	doc_note(doc, "no_calls", NOTE_PLAIN,
		 run_fact(&input->facts, "plain_sample_count")
			 ? "No calls: nothing that ran was compiled with "
			   "-finstrument-functions, so there are samples and "
			   "allocations only."
			 : "No calls: nothing that ran was compiled with "
			   "-finstrument-functions, so there are allocations only.",
		 NULL)
		->flags |= SECTION_MACHINE;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	/* What stands below the calls, with as many rows. */
	static const struct {
		const struct report *report;
		size_t rows;
	} below[] = {
		{&report_components, COMPONENT_ROWS},
		{&report_steps, STEP_ROWS},
		{&report_memory, SITE_ROWS},
		{&report_resources, PROCESS_ROWS},
	};
	const struct report_options *options = input->options;
	struct bottlenecks bottlenecks = {0};

	report_open(input, doc);
	engine_add_brief(&report_summary, input, doc, 0);
	if (run_facts_empty(&input->facts)) {
		report_nothing_note(input, doc);
		engine_add_brief(&report_resources, input, doc,
				 rows(input, PROCESS_ROWS));
		return STATUS_NOTHING;
	}
	/* only findings that matter: bottlenecks shows all */
	bottlenecks_run(input, doc, &bottlenecks);
	bottlenecks_add_findings(input, doc, &bottlenecks, rows(input, FINDINGS),
				 SECTION_BRIEF);
	engine_add_brief(&report_rare, input, doc, 0);
	engine_add_brief(&report_ranks, input, doc, 0);
	if (options->page) {
		engine_add_brief(&report_timeline, input, doc, rows(input, SPAN_ROWS));
		engine_add_brief(&report_why, input, doc, 0);
	}
	engine_add_brief(&report_plain, input, doc, rows(input, FUNCTION_ROWS));
	engine_add_brief(&report_sampled, input, doc, rows(input, FUNCTION_ROWS));
	add_calls(input, doc);
	if (options->machine)
		engine_add_brief(&report_recordings, input, doc,
				 rows(input, RECORDING_ROWS));
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++)
		engine_add_brief(below[i].report, input, doc, rows(input, below[i].rows));
	if (options->page)
		profile_add(input, doc);
	return STATUS_OK;
}

const struct report report_report = {
	.name = "report",
	.summary = "a run on one page (this is the default)",
	.description =
		"How far to trust the numbers, what ran, what is most worth fixing, the "
		"functions and call paths with most CPU time, components (of regions) "
		"and steps if there are any, where memory was allocated, and how much "
		"was live. doctor has the details of the recording. "
		"csv has the hot functions; json has everything, as many rows as text "
		"unless --limit says otherwise.",
	.example = "prof-analyze run.db",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_INLINED | TAKES_FILTER | TAKES_RAW |
		 TAKES_RULES | TAKES_SUPPRESSIONS | TAKES_SOURCE,
	.build = build,
};
