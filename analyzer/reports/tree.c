/* SPDX-License-Identifier: MIT */
/* The call tree with its shares of the run. Must not print, or recurse over paths. */
#include "analyzer/reports/common.h"

#include "common/base/xalloc.h"
#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/engine/engine.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"
#include "analyzer/reports/trust/facts.h"

#include <stdlib.h>
#include <string.h>

#define PEOPLE_MIN_SHARE 0.5
#define PEOPLE_ROWS 100

static const struct column columns[] = {
	{"total_percent", "total %", COLUMN_PERCENT, 0},
	{"total_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"total_ns", NULL, COLUMN_ANY, 0},
	{"self_ns", NULL, COLUMN_ANY, 0},
	{"calls", NULL, COLUMN_ANY, 0},
	{"total_alloc_bytes", "bytes", COLUMN_BYTES, 0},
	{"total_alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"alloc_bytes", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"alloc_count", NULL, COLUMN_ANY, COLUMN_MACHINE},
	TABLE_OTHERS,
	{"recording", "timed", COLUMN_TEXT, COLUMN_MACHINE},
	{"label", "function", COLUMN_NAME, COLUMN_HUMAN | COLUMN_KEEP},
	{"called_at", "called at", COLUMN_LOCATION, COLUMN_HUMAN | COLUMN_MACHINE},
	{"name", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"recursion_depth", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"path_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"depth", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"parent_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"call_file", NULL, COLUMN_FILE, COLUMN_MACHINE},
	{"call_line", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct {
	const char *name;
	enum calltree_order order;
} orders[] = {
	{"total_ns", CALLTREE_BY_TOTAL},
	{"total", CALLTREE_BY_TOTAL},
	{"total_percent", CALLTREE_BY_TOTAL},
	{"total %", CALLTREE_BY_TOTAL},
	{"self_ns", CALLTREE_BY_SELF},
	{"self", CALLTREE_BY_SELF},
	{"calls", CALLTREE_BY_CALLS},
	{"total_alloc_bytes", CALLTREE_BY_ALLOC_BYTES},
	{"alloc_bytes", CALLTREE_BY_ALLOC_BYTES},
	{"bytes", CALLTREE_BY_ALLOC_BYTES},
	{"self_ready_ns", CALLTREE_BY_READY},
	{"ready", CALLTREE_BY_READY},
	{"CPU wait", CALLTREE_BY_READY},
	{"self_blocked_ns", CALLTREE_BY_BLOCKED},
	{"blocked", CALLTREE_BY_BLOCKED},
	{"name", CALLTREE_BY_NAME},
	{"function", CALLTREE_BY_NAME},
};

static enum calltree_order order_of(const char *wanted)
{
	for (size_t i = 0; wanted && i < sizeof(orders) / sizeof(orders[0]); i++)
		if (strcmp(orders[i].name, wanted) == 0)
			return orders[i].order;
	if (!wanted)
		return CALLTREE_BY_TOTAL;
	command_fail(STATUS_USAGE,
		     "--sort: there is no column '%s' to sort by; there are total_ns, "
		     "self_ns, calls, total_alloc_bytes, self_ready_ns, self_blocked_ns, "
		     "name",
		     wanted);
}

/* What subtrees weigh when small ones are left out: time, or allocated bytes if asked for
 * or if there is no time. */
struct weighing {
	bool by_bytes;
	double all;
};

static double weight(const struct weighing *weighing, const struct calltree_node *node)
{
	return (double)(weighing->by_bytes ? node->tree_alloc_bytes : node->total_ns);
}

static bool is_nothing(const struct calltree *tree, uint32_t at)
{
	const struct calltree_node *node = &tree->nodes[at];

	return (!node->calls || calltree_is_folded(tree, at)) && !node->total_ns &&
	       !node->tree_alloc_count;
}

/* Takes out nodes that are too small; a node stays only where its caller does. */
static void drop_small(const struct calltree *tree, const struct weighing *weighing,
		       double min_percent, bool *shown)
{
	for (size_t i = 0; i < tree->order_count; i++) {
		uint32_t at = tree->order[i];
		const struct calltree_node *node = &tree->nodes[at];

		if (is_nothing(tree, at) ||
		    units_share(weight(weighing, node), weighing->all) < min_percent)
			shown[at] = false;
		if (node->parent != CALLTREE_NONE && !shown[node->parent])
			shown[at] = false;
	}
}

static int by_weight(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a < b) - (a > b);
}

/* Keeps the limit heaviest nodes. Among equals the first in tree order stay. */
static void keep_heaviest(const struct calltree *tree, const struct weighing *weighing,
			  size_t limit, bool *shown)
{
	auto_free double *weights =
		xreallocarray(NULL, tree->node_count, sizeof(*weights));
	size_t count = 0, kept = 0;
	double least;

	for (size_t i = 0; i < tree->order_count; i++)
		if (shown[tree->order[i]])
			weights[count++] = weight(weighing, &tree->nodes[tree->order[i]]);
	if (limit && count > limit) {
		qsort(weights, count, sizeof(*weights), by_weight);
		least = weights[limit - 1];
		for (size_t i = 0; i < tree->order_count; i++) {
			uint32_t at = tree->order[i];
			const struct calltree_node *node = &tree->nodes[at];

			if (kept >= limit || weight(weighing, node) < least ||
			    (node->parent != CALLTREE_NONE && !shown[node->parent]))
				shown[at] = false;
			kept += shown[at];
		}
	}
}

static struct cell label(struct table *table, const char *name,
			 const struct calltree_node *node)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	strbuf_puts(&text, name);
	if (node->is_inlined)
		strbuf_puts(&text, " (inlined)");
	if (node->recursion > 1)
		strbuf_printf(&text, " (recursive, %u deep)", node->recursion);
	return table_text(table, strbuf_text(&text));
}

/* Whether the node stands for many. */
static bool is_folded(const struct calltree *tree, const struct calltree_node *node)
{
	return node->function != CALLTREE_NONE &&
	       tree->functions[node->function].function_id == CALLTREE_FOLDED_FUNCTION;
}

static void add_row(struct table *table, const struct calltree *tree, uint32_t at,
		    const struct weighing *weighing)
{
	const struct calltree_node *node = &tree->nodes[at];
	struct cell *row = table_add_row(table);
	const char *name = calltree_name(tree, at);
	int64_t own[QUANTITY_COUNT_COMPARED] = {0};
	int column = table_column(table, "recording");

	row[0] = cell_real(units_share(weight(weighing, node), weighing->all));
	if (!weighing->by_bytes)
		row[1] = cell_real(
			units_share((double)node->total_error_ns, weighing->all));
	row[5] = cell_integer(node->tree_alloc_bytes);
	row[6] = cell_integer(node->tree_alloc_count);
	quantities_add(QUANTITY_OF_COMPARED, own, QUANTITY_OF_TREE, node->quantities, 1);
	table_put_quantities(table, table->row_count - 1, QUANTITY_OF_COMPARED, own);
	if (node->is_frame)
		row[table_column(table, "calls")] = (struct cell){.kind = CELL_NULL};
	if (node->recording)
		table->columns[column].flags &= ~(unsigned)COLUMN_MACHINE;
	row[column++] = table_text(table, calltree_recording_word(node));
	row[column++] = label(table, name, node);
	if (node->call_file && node->call_line) {
		table->columns[column].flags &= ~(unsigned)COLUMN_MACHINE;
		row[column] = table_text(table, node->call_file);
		row[table->column_count - 2] = row[column];
		row[column].line = node->call_line;
		row[table->column_count - 1] = cell_integer(node->call_line);
	}
	column++;
	/* Copied: the tree is freed before the table. */
	row[column++] = table_text(table, name);
	row[column++] = (struct cell){.kind = CELL_TEXT,
				      .text = node->is_frame	      ? "frame"
					      : is_folded(tree, node) ? "folded"
								      : "function"};
	row[column++] = cell_integer(node->recursion);
	row[column++] = cell_integer(node->path_count);
	row[column++] = cell_integer(node->depth);
	row[column++] = cell_integer(node->path_id);
	if (node->parent_path_id)
		row[column] = cell_integer(node->parent_path_id);
	column++;
	if (node->function != CALLTREE_NONE && !is_folded(tree, node))
		row[column] = cell_integer(tree->functions[node->function].function_id);
}

static const char *write_footer(struct report_input *input, struct doc *doc,
				const struct weighing *weighing, size_t total,
				size_t shown, double shown_self, double all_self)
{
	ended_by(strbuf_free) struct strbuf text = {0};
	const char *copy = NULL;

	if (shown < total) {
		units_count(&text, (int64_t)shown);
		strbuf_puts(&text, " of ");
		units_counted(&text, (int64_t)total, "call path");
		strbuf_puts(&text, " shown");
		if (!weighing->by_bytes && all_self > 0) {
			strbuf_puts(&text, ", ");
			units_percent(&text, units_share(shown_self, all_self));
			strbuf_puts(&text, " of self time");
		}
		strbuf_puts(&text,
			    filter_is_active(&input->filter)
				    ? "; the others do not pass --focus, --ignore or "
				      "--min-share"
				    : "; --min-share 0 --limit 0 shows all");
		copy = doc_copy(doc, strbuf_text(&text));
	}
	return copy;
}

static void add_tree(struct report_input *input, struct doc *doc,
		     const struct calltree *tree, const struct weighing *weighing)
{
	const struct report_options *options = input->options;
	double min_share = options->min_share >= 0 ? options->min_share
			   : options->machine	   ? 0
						   : PEOPLE_MIN_SHARE;
	struct table *table = table_of(columns, sizeof(columns) / sizeof(columns[0]),
				       QUANTITY_OF_COMPARED);
	bool *shown = filter_paths(&input->filter, tree, true);
	struct section *section;
	double shown_self = 0, all_self = 0;
	bool recursive = false;
	size_t total = 0;

	drop_small(tree, weighing, min_share, shown);
	keep_heaviest(tree, weighing, report_limit(input, PEOPLE_ROWS), shown);
	for (size_t i = 0; i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		if (is_nothing(tree, tree->order[i]))
			continue;
		total++;
		all_self += (double)node->self_ns;
		if (!shown[tree->order[i]])
			continue;
		shown_self += (double)node->self_ns;
		recursive |= node->recursion > 1;
		add_row(table, tree, tree->order[i], weighing);
	}
	table_hide_zeros(table);
	if (options->raw) {
		table->columns[2].name = "raw_total_ns";
		table->columns[3].name = "raw_self_ns";
	}
	if (weighing->by_bytes) {
		table->columns[0].name = "total_alloc_percent";
		table->columns[0].title = "bytes %";
	}
	section = doc_table(doc, "call_tree", NULL, table);
	section->flags = SECTION_MAIN;
	section->depth_column = "depth";
	section->total_row_count = total;
	section->footer = write_footer(input, doc, weighing, total, table->row_count,
				       shown_self, all_self);
	if (recursive)
		doc_note(doc, "recursion_folded", NOTE_PLAIN,
			 "Deeper activations of a recursive function are merged into its "
			 "first on the path; totals count outermost activations. "
			 "--unfold shows every level.",
			 NULL);
}

/* Folds libraries, but keeps what --focus asks for. Takes the tree. */
static struct calltree *fold_library(struct report_input *input, struct calltree *tree)
{
	uint32_t *places;

	for (size_t i = 0; input->options->focus && i < tree->function_count; i++)
		if (filter_passes_name(&input->filter, tree->functions[i].name))
			tree->functions[i].is_library = false;
	return calltree_fold_frames(tree, CALLTREE_LIBRARY | CALLTREE_THREADS, &places);
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	enum calltree_order order = order_of(input->options->sort);
	struct weighing weighing = {0};
	struct calltree *tree;
	struct calltree_total sum;

	report_open(input, doc);
	tree = report_tree_load(input);
	if (!input->options->unfold)
		tree = calltree_fold(tree);
	if (input->options->fold_library)
		tree = fold_library(input, tree);
	sum = calltree_sum(tree);
	weighing.by_bytes = order == CALLTREE_BY_ALLOC_BYTES || sum.total_ns <= 0;
	weighing.all = (double)(weighing.by_bytes ? sum.alloc_bytes : sum.total_ns);
	if (weighing.by_bytes && order == CALLTREE_BY_TOTAL)
		order = CALLTREE_BY_ALLOC_BYTES;
	calltree_sort(tree, order);
	add_tree(input, doc, tree, &weighing);
	engine_run(&report_counted, input, doc);
	engine_run(&report_inlined, input, doc);
	if (!run_facts_empty(&input->facts))
		return STATUS_OK;
	report_nothing_note(input, doc);
	return STATUS_NOTHING;
}

const struct report report_tree = {
	.name = "tree",
	.summary = "call tree with shares of the run",
	.description =
		"Who calls whom from the root of every thread, largest first, with total "
		"and self time, calls and the bytes allocated in the subtree. Subtrees "
		"below --min-share are left out and counted in the last line. --focus "
		"keeps the paths through matching functions with their callers, --ignore "
		"takes out subtrees. --sort orders siblings: total, self, calls, bytes, "
		"name. --fold-library merges library code into one row 'library', and "
		"functions that run a thread or a task into 'thread of F'.",
	.example = "prof-analyze tree run.db --focus 'parse_.*' --min-share 2",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_FILTER | TAKES_THREAD |
		 TAKES_INLINED | TAKES_RAW | TAKES_TREE,
	.build = build,
};
