/* SPDX-License-Identifier: MIT */
/* Queries of reports: their parameters and functions. */
#include "analyzer/reports/engine/ask.h"

#include "common/base/text.h"
#include "common/poisson.h"
#include "analyzer/model/shorten.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"
#include "analyzer/reports/engine/columns.h"
#include "analyzer/reports/engine/range.h"
#include "analyzer/reports/load.h"
#include "analyzer/reports/names/callers_find.h"
#include "analyzer/reports/snapshots/list.h"
#include "analyzer/rules/owners.h"
#include "analyzer/reports/trust/facts.h"

#include "thread.sql.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHORT_NAME 120 /* columns, in sentences */
#define LABEL_COLUMNS_MOST 400
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const struct calltree *ask_tree(struct ask *ask)
{
	return paths_tree(&ask->paths);
}

static const char *name_of(const struct cell *value)
{
	return value->kind == CELL_TEXT ? value->text : "?";
}

static struct cell passes(void *context, const struct cell *values)
{
	struct filter *filter = &((struct ask *)context)->input->filter;

	if (filter_is_active(filter))
		filter_found(filter); /* the text names something, but no function */
	return cell_integer(filter_passes_name(filter, name_of(&values[0])));
}

static struct cell fits(void *context, const struct cell *values)
{
	const struct filter *filter = &((struct ask *)context)->input->filter;

	return cell_integer(filter_passes_name(filter, name_of(&values[0])));
}

static struct cell is_chosen(void *context, const struct cell *values)
{
	struct ask *ask = context;
	const struct calltree *tree;
	uint32_t node;

	if (!filter_is_active(&ask->input->filter))
		return cell_integer(1);
	tree = ask_tree(ask);
	if (!ask->chosen)
		ask->chosen = filter_paths(&ask->input->filter, tree, false);
	node = calltree_find(tree, cell_whole(&values[0]));
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
	const char *name;

	strbuf_reset(&ask->text);
	name = sigabbrev_np((int)cell_whole(&values[0]));
	if (name)
		strbuf_printf(&ask->text, "SIG%s", name);
	else
		strbuf_printf(&ask->text, "signal %d", (int)cell_whole(&values[0]));
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

static struct cell shortened(void *context, const struct cell *values)
{
	struct ask *ask = context;

	if (values[1].kind != CELL_TEXT)
		return values[1];
	strbuf_reset(&ask->text);
	shorten_name(&ask->text, values[1].text, (unsigned)cell_whole(&values[0]),
		     &shorten_ascii);
	return text_cell(ask);
}

static struct cell meant(void *context, const struct cell *values)
{
	struct ask *ask = context;
	return cell_integer(
		callers_find(ask->input, ask->doc, name_of(&values[0])).function_id);
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

/* Half the 95 % interval of a time that this many samples stand for. */
static struct cell chance(void *context, const struct cell *values)
{
	double count = cell_number(&values[0]), ns = cell_number(&values[1]);

	(void)context;
	return cell_real(count > 0 ? (poisson_high(count) - poisson_low(count)) / 2 * ns /
					     count
				   : 0);
}

/* Wrappers are judged by the whole run, even if the tree is that of a part: both trees
 * have the same nodes. */
static uint32_t without_wrappers(struct ask *ask, uint32_t owner)
{
	if (!ask->wrappers) {
		struct wrapper_limits limits = memory_wrapper_limits(NULL);

		ask->wrappers = wrappers_find(report_call_tree(ask->input), &limits);
	}
	return wrappers_caller(ask->wrappers, owner);
}

static struct cell line_of(uint32_t line)
{
	return line ? cell_integer(line) : cell_text(NULL);
}

/* The call by which the owner asks a wrapper for memory. */
static struct cell asked_at(const struct calltree *tree, uint32_t site, uint32_t asked,
			    const char *what)
{
	const struct calltree_node *call = &tree->nodes[asked];

	if (strcmp(what, "call_file") == 0)
		return cell_text(call->call_line ? call->call_file : NULL);
	if (strcmp(what, "call_line") == 0)
		return line_of(call->call_file ? call->call_line : 0);
	while (site != asked && tree->nodes[site].is_frame)
		site = tree->nodes[site].parent;
	return cell_integer(1 + (site != asked));
}

/* A function's file or line, where it is defined. */
static struct cell defined(const struct calltree *tree, uint32_t node, const char *what)
{
	uint32_t function = tree->nodes[node].function;

	if (strcmp(what, "name") == 0)
		return cell_text(calltree_owner_name(tree, node));
	if (strcmp(what, "function_id") == 0 && function != CALLTREE_NONE)
		return cell_integer(tree->functions[function].function_id);
	if (function == CALLTREE_NONE || !tree->functions[function].file)
		return cell_text(NULL);
	return strcmp(what, "line") == 0 ? cell_integer(tree->functions[function].line)
					 : cell_text(tree->functions[function].file);
}

/* fitted() and fitted_error(): report_fit() for SQL. */
static struct cell fit(const struct ask *ask, const struct cell *values, bool is_error)
{
	double ns = cell_number(&values[0]), error_ns = cell_number(&values[1]);

	if (values[is_error].kind == CELL_NULL)
		return values[is_error];
	report_fit(ask->input, cell_number(&values[2]), &ns, &error_ns);
	return cell_integer(whole_number(is_error ? error_ns : ns));
}

static struct cell fitted(void *context, const struct cell *values)
{
	return fit(context, values, false);
}

static struct cell fitted_error(void *context, const struct cell *values)
{
	return fit(context, values, true);
}

static struct cell asker(void *context, const struct cell *values)
{
	const struct calltree *tree = ask_tree(context);
	uint32_t site = calltree_find(tree, cell_whole(&values[0])), asked, node;
	const char *what = name_of(&values[1]);

	if (site == CALLTREE_NONE)
		return cell_text(NULL);
	asked = calltree_owner(tree, site);
	node = without_wrappers(context, asked);
	if (strncmp(what, "call", 4) != 0)
		return defined(tree, node, what);
	if (asked == node)
		return cell_text(NULL);
	while (tree->nodes[asked].parent != node)
		asked = tree->nodes[asked].parent;
	return asked_at(tree, site, asked, what);
}

const struct leak_filter *ask_suppressions(struct ask *ask)
{
	if (!ask->suppressions.tree)
		leak_filter_load(ask->input, ask_tree(ask), &ask->suppressions);
	return &ask->suppressions;
}

static struct cell suppression(void *context, const struct cell *values)
{
	size_t number =
		leak_filter_find(ask_suppressions(context), cell_whole(&values[0]),
				 values[1].kind == CELL_TEXT ? values[1].text : NULL);

	return number == SUPPRESS_NONE ? cell_text(NULL) : cell_integer((int64_t)number);
}

static struct cell pattern(void *context, const struct cell *values)
{
	const struct suppressions *all = &ask_suppressions(context)->suppressions;
	uint64_t number = (uint64_t)cell_whole(&values[0]);

	return cell_text(number < all->count ? all->list[number].pattern : NULL);
}

static struct cell limit_of(void *context, const struct cell *values)
{
	const struct ask *ask = context;
	size_t limit = report_limit(ask->input, (size_t)cell_whole(&values[0]));

	return cell_integer(limit ? (int64_t)limit : INT64_MAX);
}

/* Bounded, since it is repeated in each sample. */
static struct cell label_value(void *context, const struct cell *values)
{
	struct ask *ask = context;
	ended_by(strbuf_free) struct strbuf clean = {0};

	utf8_clean(&clean, values[0].kind == CELL_TEXT ? values[0].text : "");
	strbuf_truncate(&clean, utf8_prefix(strbuf_text(&clean), LABEL_COLUMNS_MOST));
	strbuf_reset(&ask->text);
	for (size_t i = 0; i < clean.size; i++) {
		if (clean.data[i] == '\\' || clean.data[i] == '"')
			strbuf_putc(&ask->text, '\\');
		strbuf_putc(&ask->text, clean.data[i]);
	}
	return text_cell(ask);
}

static const struct {
	const char *name;
	int count;
	struct cell (*call)(void *context, const struct cell *values);
} functions[] = {
	{"passes", 1, passes},
	{"is_chosen", 1, is_chosen},
	{"signal_name", 1, signal_name},
	{"short_name", 1, short_name},
	{"people", 2, people},
	{"counted", 2, counted},
	{"limit_of", 1, limit_of},
	{"label_value", 1, label_value},
	{"chance", 2, chance},
	{"fitted", 3, fitted},
	{"fitted_error", 3, fitted_error},
	{"asker", 2, asker},
	{"fits", 1, fits},
	{"short_name", 2, shortened},
	{"meant", 1, meant},
	{"suppression", 2, suppression},
	{"pattern", 1, pattern},
};

void ask_begin(struct ask *ask)
{
	struct report_input *input = ask->input;
	struct snapshot_list list;

	paths_begin(&ask->paths, input);
	for (size_t i = 0; i < COUNT(functions); i++)
		rundb_function(input->db, functions[i].name, functions[i].count,
			       functions[i].call, ask);
	if (input->options->thread)
		rundb_view(input->db, "functions", thread_sql_functions);
	if (ask->takes_function)
		ask->function = callers_find(input, ask->doc, input->options->argument);
	if (input->options->process) {
		snapshot_list_load(input, &list);
		ask->process_id = list.processes[0].process_id;
	}
	range_find(input->options, whole_number(run_fact(&input->facts, "wall_ns")),
		   &ask->from_ns, &ask->to_ns);
}

/* The functions are not asked any more, or are made anew. */
void ask_end(struct ask *ask)
{
	if (ask->input->options->thread)
		rundb_view(ask->input->db, "functions", NULL);
	paths_end(&ask->paths);
}

struct number {
	const char *name;
	int64_t value;
};

static void bind_numbers(struct cursor *cursor, const struct number *numbers,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		cursor_bind_integer(cursor, numbers[i].name, numbers[i].value);
}

static void bind_asked(const struct ask *ask, struct cursor *cursor)
{
	const struct report_options *options = ask->input->options;
	const struct number numbers[] = {
		{":run", ask->input->run_id},
		{":process", ask->process_id},
		{":function", ask->function.function_id},
		{":namesake_count", (int64_t)ask->function.namesake_count},
		{":from", ask->from_ns},
		{":to", ask->to_ns},
		{":raw", options->raw},
		{":has_sources", options->source_count > 0},
		{":has_suppressions", options->suppressions != NULL},
		{":inlined", options->inlined},
		{":machine", options->machine},
		{":is_run_chosen", options->run_is_chosen},
		{":is_brief", ask->is_brief},
		{":is_filtered", filter_is_active(&ask->input->filter)},
		{":is_sorted", options->sort != NULL},
		{":running_pid", rundb_live(ask->input->db)->running_pid},
		{":live_pid", rundb_live(ask->input->db)->pid},
		{":is_live", rundb_live(ask->input->db)->pid != 0},
		{":is_attended", rundb_live(ask->input->db)->is_attended},
	};

	bind_numbers(cursor, numbers, COUNT(numbers));
	cursor_bind_text(cursor, ":thread", options->thread);
	cursor_bind_text(cursor, ":argument", options->argument);
	cursor_bind_text(cursor, ":by", options->by);
}

static void bind_facts(const struct run_facts *facts, struct cursor *cursor)
{
	for (size_t i = 0; facts->row && i < facts->row->column_count; i++)
		cursor_bind_named(cursor, facts->row->columns[i].name,
				  facts->row->row_count ? &facts->row->cells[i] : NULL);
}

/* Binds the cost of hooks and samples. NAN becomes NULL: not known. */
static void bind_costs(const struct ask *ask, struct cursor *cursor)
{
	const struct run_facts *facts = &ask->input->facts;
	const struct hooks *hooks = &facts->hooks;
	struct hooks_cost recorded = run_facts_hooks(facts);
	struct hooks_cost counting = hooks_counting(hooks);
	double min_share = ask->input->options->min_share;
	struct hooks_cost all = hooks_total(hooks);
	struct hooks_cost program = run_facts_program(facts);
	double thread_ns = run_fact(facts, "thread_ns");
	struct hooks_cost percent = hooks_percent(
		all, thread_ns > 0 ? thread_ns : run_fact(facts, "wall_ns"));
	double samples = run_fact(facts, "sample_count");
	double sampled_ns = run_fact(facts, "sampled_ns");
	double tick_ns = run_fact(facts, "sample_tick_ns");
	const struct {
		const char *name;
		double value;
	} reals[] = {
		{":program_ns",
		 ask->input->options->raw ? run_fact(facts, "raw_self_ns") : program.ns},
		{":program_error_ns", program.error_ns},
		{":hooks_ns", all.ns},
		{":hooks_error_ns", all.error_ns},
		{":hooks_percent", percent.ns},
		{":hooks_error_percent", percent.error_ns},
		{":error_ns", run_facts_error_ns(facts)},
		{":hooks_waited_ns", run_facts_hooks_waited_ns(facts)},
		{":budget_percent", hooks->has_budget ? hooks->budget_percent : NAN},
		{":counting_ns", counting.ns},
		{":counting_error_ns", counting.error_ns},
		{":recorded_hooks_percent", recorded.ns},
		{":recorded_hooks_error_percent", recorded.error_ns},
		{":min_share", min_share >= 0 ? min_share : NAN},
		{":pair_ns", hooks->pair.ns},
		{":pair_error_ns", hooks->pair.error_ns},
		{":counted_ns", hooks->counted.ns},
		{":counted_error_ns", hooks->counted.error_ns},
		{":alloc_pair_ns", hooks->alloc.ns},
		{":counted_percent", units_share(hooks->counted_calls, hooks->calls)},
		{":sample_ns", samples > 0 ? sampled_ns / samples : NAN},
		{":sample_percent",
		 tick_ns > 0 ? units_share(samples * tick_ns, sampled_ns) : NAN},
		{":recorded_ns",
		 run_fact(facts, "recorded_ns") + facts->hooks.left_out_ns},
	};
	const struct number numbers[] = {
		{":has_hooks", run_fact(facts, "calls") > 0 && hooks->pair.ns > 0},
		{":has_samples", hooks->has_samples},
	};

	bind_numbers(cursor, numbers, COUNT(numbers));
	for (size_t i = 0; i < COUNT(reals); i++)
		cursor_bind_real(cursor, reals[i].name, reals[i].value);
}

void ask_bind(void *context, struct cursor *cursor)
{
	const struct ask *ask = context;

	bind_asked(ask, cursor);
	bind_facts(&ask->input->facts, cursor);
	bind_costs(ask, cursor);
}

void ask_keep(struct ask *ask, const char *name, const char *sql)
{
	rundb_keep_bound(ask->input->db, name, sql, ask_bind, ask);
}

struct table *ask_rows(struct ask *ask, const char *sql)
{
	struct cursor *cursor = rundb_query(ask->input->db, sql);

	ask_bind(ask, cursor);
	return columns_read(ask->input, cursor);
}

struct cell ask_chain(struct ask *ask, struct table *table, int64_t path_id, bool is_site)
{
	const struct calltree *tree = ask_tree(ask);
	uint32_t node = calltree_find(tree, path_id);

	return is_site ? report_site_chain(table, tree, node,
					   !ask->input->options->machine)
		       : report_chain(table, tree, node);
}
