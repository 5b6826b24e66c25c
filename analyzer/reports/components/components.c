/* SPDX-License-Identifier: MIT */
/* Totals by component and the calls between them. */
#include "analyzer/reports/components/parts.h"

#include "analyzer/document/columns.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/open.h"

#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column columns[] = {
	{"self_percent", "self %", COLUMN_PERCENT, COLUMN_KEEP},
	{"self_ns", "self", COLUMN_NSEC, COLUMN_KEEP},
	{"self_ready_ns", "ready", COLUMN_NSEC, 0},
	{"self_blocked_ns", "blocked", COLUMN_NSEC, 0},
	{"total_percent", "total %", COLUMN_PERCENT, COLUMN_MACHINE},
	{"total_ns", "total", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"entries", "entries", COLUMN_COUNT, 0},
	{"average_ns", "average", COLUMN_NSEC, COLUMN_KEEP},
	{"alloc_count", "allocs", COLUMN_COUNT, 0},
	{"alloc_bytes", "bytes", COLUMN_BYTES, COLUMN_KEEP},
	{"alloc_bytes_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"function_count", "functions", COLUMN_COUNT, 0},
	{"path_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"name", "component", COLUMN_NAME, COLUMN_KEEP},
	{"self_error_percent", NULL, COLUMN_PERCENT, COLUMN_MACHINE},
	{"self_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"total_error_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
};

static const struct column edge_columns[] = {
	{"total_ns", "total", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"average_ns", "average", COLUMN_NSEC, 0},
	{"caller", "from", COLUMN_NAME, COLUMN_KEEP},
	{"callee", "to", COLUMN_NAME, COLUMN_KEEP},
};

static struct cell average(int64_t total_ns, int64_t count)
{
	return count > 0 ? cell_integer(total_ns / count)
			 : (struct cell){.kind = CELL_NULL};
}

/* Errors of paths were added up; no part is longer than the whole. */
static int64_t self_error(const struct component_total *from)
{
	int64_t most = from->total_ns;

	quantity_add(&most, from->total_error_ns);
	most -= from->self_ns;
	if (most < from->self_ns)
		most = from->self_ns;
	return from->self_error_ns < most ? from->self_error_ns : most;
}

static struct table *totals_table(const struct components *components,
				  const struct calltree_total *sum)
{
	struct table *table = table_new(columns, COUNT(columns));

	for (size_t i = 0; i < components->names.count; i++) {
		const struct component_total *from = &components->totals[i];
		int64_t self_error_ns = self_error(from);
		const struct {
			const char *name;
			struct cell cell;
		} cells[] = {
			{"self_percent", cell_real(units_share((double)from->self_ns,
							       (double)sum->self_ns))},
			{"self_ns", cell_integer(from->self_ns)},
			{"self_ready_ns", cell_integer(from->self_ready_ns)},
			{"self_blocked_ns", cell_integer(from->self_blocked_ns)},
			{"total_percent", cell_real(units_share((double)from->total_ns,
								(double)sum->self_ns))},
			{"total_ns", cell_integer(from->total_ns)},
			{"calls", cell_integer(from->calls)},
			{"entries", cell_integer(from->entries)},
			{"average_ns", units_is_known((double)from->total_ns,
						      (double)from->total_error_ns)
					       ? average(from->total_ns, from->outermost)
					       : (struct cell){.kind = CELL_NULL}},
			{"alloc_count", cell_integer(from->alloc_count)},
			{"alloc_bytes", cell_integer(from->alloc_bytes)},
			{"alloc_bytes_percent",
			 cell_real(units_share((double)from->alloc_bytes,
					       (double)sum->alloc_bytes))},
			{"function_count", cell_integer(from->function_count)},
			{"path_count", cell_integer(from->path_count)},
			{"self_error_percent",
			 cell_real(units_share((double)self_error_ns,
					       (double)sum->self_ns))},
			{"self_error_ns", cell_integer(self_error_ns)},
			{"total_error_ns", cell_integer(from->total_error_ns)},
		};

		table_add_row(table);
		for (size_t j = 0; j < COUNT(cells); j++)
			*table_cell(table, i, cells[j].name) = cells[j].cell;
		*table_cell(table, i, "name") =
			table_text(table, intern_name(&components->names, (uint32_t)i));
	}
	return table;
}

static struct table *edges_table(const struct components *components)
{
	struct table *table = table_new(edge_columns, COUNT(edge_columns));

	for (size_t i = 0; i < components->edge_count; i++) {
		const struct component_edge *edge = &components->edges[i];

		table_add_row(table);
		*table_cell(table, i, "total_ns") = cell_integer(edge->total_ns);
		*table_cell(table, i, "calls") = cell_integer(edge->calls);
		*table_cell(table, i, "average_ns") =
			average(edge->total_ns, edge->outermost);
		*table_cell(table, i, "caller") =
			table_text(table, intern_name(&components->names, edge->caller));
		*table_cell(table, i, "callee") =
			table_text(table, intern_name(&components->names, edge->callee));
	}
	table_sort(table, table_column(table, "total_ns"), table_column(table, "callee"));
	return table;
}

static enum exit_status add_tables(struct report_input *input, struct doc *doc,
				   const struct components *components,
				   const struct calltree_total *sum)
{
	struct table *table = totals_table(components, sum);
	enum exit_status status = report_sort(input, table, "self_ns", "name");
	struct section *section;

	if (status) {
		table_free(table);
		return status;
	}
	table_hide_zeros(table);
	section = report_add_table(doc, "components", "Components", table,
				   report_limit(input, 20), "component", "self_ns",
				   "self time");
	section->flags = SECTION_MAIN;
	table = edges_table(components);
	section = report_add_table(doc, "edges",
				   table->row_count ? "Calls between components" : NULL,
				   table, report_limit(input, 20), "edge", NULL, NULL);
	section->flags = table->row_count ? 0 : SECTION_MACHINE;
	return STATUS_OK;
}

static enum exit_status add_components(struct report_input *input, struct doc *doc,
				       struct calltree *tree)
{
	struct components_function *functions =
		components_describe(input, tree, components_by(input->options->by));
	struct components components = {0};
	struct calltree_total sum = calltree_sum(tree);
	enum exit_status status;

	if (!functions)
		return STATUS_FAILED;
	components_sum(&components, tree, functions);
	status = add_tables(input, doc, &components, &sum);
	components_free(&components);
	free(functions);
	return status;
}

static bool names_any(const struct calltree *tree,
		      const struct components_function *functions)
{
	for (size_t i = 0; i < tree->function_count; i++)
		if (functions[i].named)
			return true;
	return false;
}

static void add_brief(struct doc *doc, const struct calltree *tree,
		      const struct components_function *functions, size_t limit)
{
	struct components components = {0};
	struct calltree_total sum = calltree_sum(tree);
	struct table *table;

	components_sum(&components, tree, functions);
	table = totals_table(&components, &sum);
	table_sort(table, table_column(table, "self_ns"), table_column(table, "name"));
	table_show(table, "self_percent self_ns total_ns calls alloc_bytes name");
	report_add_table(doc, "components", "Components", table, limit, "component",
			 "self_ns", "self time");
	components_free(&components);
}

enum exit_status components_add_brief(struct report_input *input, struct doc *doc,
				      struct calltree *tree, size_t limit)
{
	struct components_function *functions =
		components_describe(input, tree, COMPONENT_BY_MODULE);

	if (!functions)
		return STATUS_FAILED;
	if (names_any(tree, functions))
		add_brief(doc, tree, functions, limit);
	free(functions);
	return STATUS_OK;
}

static enum exit_status check_by(struct report_input *input)
{
	static const char *const words[] = {"module", "source", "namespace"};
	const char *by = input->options->by;

	for (size_t i = 0; by && i < COUNT(words); i++)
		if (strcmp(by, words[i]) == 0)
			return STATUS_OK;
	return by ? report_fail(input, STATUS_USAGE,
				"--by: there is no '%s'; there are module, source, "
				"namespace",
				by)
		  : STATUS_OK;
}

static enum exit_status build(struct report_input *input, struct doc *doc)
{
	struct calltree *tree = NULL;
	struct run_facts facts;
	enum exit_status status = check_by(input);

	if (status == STATUS_OK)
		status = report_open(input, doc, &facts);
	if (status == STATUS_OK && run_facts_empty(&facts)) {
		report_nothing_note(input, doc);
		return STATUS_NOTHING;
	}
	if (status == STATUS_OK) {
		tree = report_tree_load(input);
		status = tree ? add_components(input, doc, tree) : STATUS_FAILED;
	}
	calltree_free(tree);
	return status;
}

const struct report report_components = {
	.name = "components",
	.summary = "totals by component and the calls between them",
	.description =
		"The program names the component of its regions "
		"(profshim_region_begin), and --by source or namespace that of "
		"functions: "
		"the directory of their source, or the namespace or class that they are "
		"in. What it calls that "
		"nobody has named belongs to it; what is called by nobody named belongs "
		"to its module, and libraries of the language and the system to their "
		"caller. total counts outermost activations and average is of "
		"one of them; entries are all calls from other components.",
	.example = "prof-analyze components run.db --by source",
	.takes = TAKES_RUN | TAKES_LIMIT | TAKES_SORT | TAKES_INLINED | TAKES_THREAD |
		 TAKES_RAW | TAKES_BY,
	.build = build,
};
