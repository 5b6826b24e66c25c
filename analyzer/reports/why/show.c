/* SPDX-License-Identifier: MIT */
/* The tables of the command `why`. */
#include "analyzer/reports/why/parts.h"

#include "analyzer/model/shorten.h"
#include "analyzer/model/study/groups.h"
#include "analyzer/model/units.h"
#include "analyzer/reports/common.h"

#include <math.h>
#include <stdlib.h>

#define DEFAULT_ROWS 12
#define TITLE_COLUMNS 60
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct column list_columns[] = {
	{"slowest_ns", "slowest", COLUMN_NSEC, COLUMN_KEEP},
	{"median_ns", "median", COLUMN_NSEC, COLUMN_KEEP},
	{"calls", "calls", COLUMN_COUNT, COLUMN_KEEP},
	{"slow_count", "slow", COLUMN_COUNT, 0},
	{"usual_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"reason", "why it is here", COLUMN_TEXT, 0},
	{"name", "function or step", COLUMN_NAME, COLUMN_KEEP},
	{"cause", "the slowest", COLUMN_TEXT, COLUMN_DETAIL},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"function_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"study_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"missed_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"ready_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"ready_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"cost_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
};

static const struct column call_columns[] = {
	{"duration_ns", "took", COLUMN_NSEC, COLUMN_KEEP},
	{"started_ns", "at", COLUMN_NSEC, COLUMN_KEEP},
	{"number", "call", COLUMN_COUNT, COLUMN_KEEP},
	{"ready_ns", "of that ready", COLUMN_NSEC, 0},
	{"explained_percent", "explains", COLUMN_PERCENT, COLUMN_KEEP},
	{"name", "because of", COLUMN_NAME, COLUMN_KEEP},
	{"cause", NULL, COLUMN_TEXT, COLUMN_DETAIL},
	{"path", "path", COLUMN_CHAIN, COLUMN_DETAIL},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"most_name", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"most_path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"is_first", NULL, COLUMN_FLAG, COLUMN_MACHINE},
	{"difference_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"explained_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"usual_calls", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"blocked_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"usual_blocked_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"alloc_count", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"usual_alloc_count", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"alloc_bytes", NULL, COLUMN_BYTES, COLUMN_MACHINE},
	{"usual_alloc_bytes", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"wait_kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"lock", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"holder", NULL, COLUMN_NAME, COLUMN_MACHINE},
	{"beside_calls", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"beside_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"folded_parts", NULL, COLUMN_COUNT, COLUMN_MACHINE},
	{"tid", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"lane_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"case_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static const struct column cause_columns[] = {
	{"count", "slow", COLUMN_COUNT, COLUMN_KEEP},
	{"of_count", "of", COLUMN_COUNT, COLUMN_KEEP},
	{"mean_difference_ns", "each longer by", COLUMN_NSEC, COLUMN_KEEP},
	{"worst_difference_ns", "at most", COLUMN_NSEC, 0},
	{"name", "because of", COLUMN_NAME, COLUMN_KEEP},
	{"cause", "the worst", COLUMN_TEXT, COLUMN_DETAIL},
	{"kind", NULL, COLUMN_TEXT, COLUMN_MACHINE},
	{"difference_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
	{"worst_case_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

/* "slow" is the mean of the slow calls, "usual" that of the usual ones. */
static const struct column path_columns[] = {
	{"share_percent", "of it", COLUMN_PERCENT, COLUMN_KEEP},
	{"slow_self_ns", "slow self", COLUMN_NSEC, COLUMN_KEEP},
	{"usual_self_ns", "usual", COLUMN_NSEC, COLUMN_KEEP},
	{"slow_calls", "slow calls", COLUMN_FIGURE, COLUMN_KEEP},
	{"usual_calls", "usual", COLUMN_FIGURE, COLUMN_KEEP},
	{"slow_blocked_ns", "blocked", COLUMN_NSEC, 0},
	{"usual_blocked_ns", "usual", COLUMN_NSEC, 0},
	{"slow_alloc_bytes", "allocated", COLUMN_BYTES, 0},
	{"usual_alloc_bytes", "usual", COLUMN_BYTES, 0},
	{"slow_alloc_count", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"usual_alloc_count", NULL, COLUMN_ANY, COLUMN_MACHINE},
	{"slow_count", "in slow", COLUMN_COUNT, 0},
	{"usual_count", "in usual", COLUMN_COUNT, 0},
	{"difference_ns", NULL, COLUMN_NSEC, COLUMN_MACHINE},
	{"name", "function", COLUMN_NAME, COLUMN_KEEP},
	{"path", NULL, COLUMN_CHAIN, COLUMN_MACHINE},
	{"path_id", NULL, COLUMN_ID, COLUMN_MACHINE},
};

static struct cell ns_cell(double ns)
{
	return cell_integer(whole_number(ns));
}

static struct cell cause_cell(struct table *table, const struct why *why,
			      const struct why_study *from, size_t number)
{
	struct strbuf text = {0};
	struct cell cell;

	why_put_cause(why, from, number, &text);
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

/* The slowest call that is slow; call_count: there is none. */
static size_t slowest(const struct study *study)
{
	size_t found = study->call_count;

	for (size_t i = 0; i < study->call_count; i++)
		if (study->calls[i].is_slow &&
		    (found == study->call_count ||
		     study->calls[i].duration_ns > study->calls[found].duration_ns))
			found = i;
	return found;
}

static void add_study(struct table *table, const struct why *why,
		      const struct why_study *from)
{
	struct cell *row = table_add_row(table);
	size_t worst = slowest(&from->study);

	*row++ = cell_integer(from->slowest_ns);
	*row++ = cell_integer(from->median_ns);
	*row++ = cell_integer(from->calls);
	*row++ = cell_integer((int64_t)from->study.slow_count);
	*row++ = cell_integer((int64_t)from->study.usual_count);
	*row++ = table_text(table, from->reason);
	*row++ = table_text(table, from->name);
	*row++ = worst < from->study.call_count ? cause_cell(table, why, from, worst)
						: (struct cell){.kind = CELL_NULL};
	*row++ = table_text(table, from->kind);
	*row++ = from->study.step ? (struct cell){.kind = CELL_NULL}
				  : cell_integer(from->function_id);
	*row++ = cell_integer(from->study_id);
	*row++ = cell_integer(from->missed_calls);
	*row++ = cell_integer(from->ready_calls);
	*row++ = cell_integer(from->ready_ns);
	*row = cell_integer(from->cost_ns);
}

enum exit_status why_show_list(struct report_input *input, const struct why *why,
			       struct doc *doc)
{
	struct table *table = table_new(list_columns, COUNT(list_columns));
	enum exit_status status;

	for (size_t i = 0; i < why->count; i++)
		add_study(table, why, &why->all[i]);
	status = report_sort(input, table, "slowest_ns", "study_id");
	if (status) {
		table_free(table);
		return status;
	}
	report_add_table(doc, "studies",
			 "What was slow now and then, with calls that were kept", table,
			 report_limit(input, DEFAULT_ROWS), "function", NULL, NULL)
		->flags = SECTION_MAIN;
	return STATUS_OK;
}

static struct cell chain(struct table *table, const struct why *why,
			 const struct study *study, uint32_t path)
{
	uint32_t node = calltree_find(why->tree, study->paths[path].path_id);

	if (node == CALLTREE_NONE) /* of a step that no call held */
		return (struct cell){.kind = CELL_NULL};
	return report_chain(table, why->tree, node);
}

static void add_cause(struct table *table, size_t row, const struct why *why,
		      const struct study *study, const struct study_cause *cause)
{
	*table_cell(table, row, "explained_percent") = cell_real(
		fmin(100, units_share(cause->explained_ns, cause->difference_ns)));
	*table_cell(table, row, "path") = chain(table, why, study, cause->path);
	*table_cell(table, row, "kind") = table_text(table, why_kind_word(cause->kind));
	*table_cell(table, row, "name") =
		table_text(table, why_path_name(why, study, cause->path));
	*table_cell(table, row, "path_id") =
		cell_integer(study->paths[cause->path].path_id);
	*table_cell(table, row, "most_name") =
		table_text(table, why_path_name(why, study, cause->most_path));
	*table_cell(table, row, "most_path_id") =
		cell_integer(study->paths[cause->most_path].path_id);
	*table_cell(table, row, "difference_ns") = ns_cell(cause->difference_ns);
	*table_cell(table, row, "explained_ns") = ns_cell(cause->explained_ns);
	*table_cell(table, row, "calls") = ns_cell(cause->now.calls);
	*table_cell(table, row, "usual_calls") = cell_real(cause->usual.calls);
	*table_cell(table, row, "blocked_ns") = ns_cell(cause->now.blocked_ns);
	*table_cell(table, row, "usual_blocked_ns") = ns_cell(cause->usual.blocked_ns);
	*table_cell(table, row, "alloc_count") = ns_cell(cause->now.alloc_count);
	*table_cell(table, row, "usual_alloc_count") =
		cell_real(cause->usual.alloc_count);
	*table_cell(table, row, "alloc_bytes") = ns_cell(cause->now.alloc_bytes);
	*table_cell(table, row, "usual_alloc_bytes") =
		cell_real(cause->usual.alloc_bytes);
}

static void add_call(struct table *table, const struct why *why,
		     const struct why_study *from, size_t number)
{
	const struct study_call *call = &from->study.calls[number];
	const struct why_case *own = &from->cases[number];
	size_t row = table->row_count;

	table_add_row(table);
	*table_cell(table, row, "duration_ns") = cell_integer(own->duration_ns);
	*table_cell(table, row, "started_ns") = cell_integer(own->started_ns);
	*table_cell(table, row, "number") = cell_integer(own->number);
	*table_cell(table, row, "ready_ns") = cell_integer(own->ready_ns);
	*table_cell(table, row, "is_first") = cell_integer(own->is_first);
	*table_cell(table, row, "wait_kind") = table_text(table, own->wait_kind);
	*table_cell(table, row, "lock") = table_text(table, own->lock);
	*table_cell(table, row, "holder") = table_text(table, own->holder);
	*table_cell(table, row, "beside_calls") = cell_integer(own->beside_calls);
	*table_cell(table, row, "beside_ns") = cell_integer(own->beside_ns);
	*table_cell(table, row, "folded_parts") = cell_integer(own->folded_parts);
	*table_cell(table, row, "tid") = cell_integer(own->tid);
	*table_cell(table, row, "lane_id") = cell_integer(own->lane_id);
	*table_cell(table, row, "case_id") = cell_integer(own->case_id);
	if (!from->study.path_count)
		return;
	*table_cell(table, row, "cause") = cause_cell(table, why, from, number);
	add_cause(table, row, why, &from->study, &call->cause);
}

/* People see no calls whose difference is a hundredth of the largest. */
static size_t large_count(const struct study *study)
{
	double largest_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < study->call_count; i++)
		if (study->calls[i].is_slow)
			largest_ns =
				fmax(largest_ns, study->calls[i].cause.difference_ns);
	for (size_t i = 0; i < study->call_count; i++)
		count += study->calls[i].is_slow &&
			 study->calls[i].cause.difference_ns > largest_ns / 100;
	return count ? count : 1;
}

static void add_group(struct table *table, const struct why *why,
		      const struct why_study *from, const struct study_group *group)
{
	const struct study *study = &from->study;
	const struct study_cause *worst = &study->calls[group->worst].cause;
	struct cell *row = table_add_row(table);

	*row++ = cell_integer((int64_t)group->count);
	*row++ = cell_integer((int64_t)study->slow_count);
	*row++ = ns_cell(group->difference_ns / (double)group->count);
	*row++ = ns_cell(worst->difference_ns);
	*row++ = table_text(
		table, study->path_count ? why_path_name(why, study, group->path) : "?");
	*row++ = cause_cell(table, why, from, group->worst);
	*row++ = table_text(table, why_kind_word(group->kind));
	*row++ = ns_cell(group->difference_ns);
	*row++ = study->path_count ? cell_integer(study->paths[group->path].path_id)
				   : (struct cell){.kind = CELL_NULL};
	*row = cell_integer(from->cases[group->worst].case_id);
}

/* What makes less than a hundredth of the largest is for machines. */
static size_t large_groups(const struct study_group *groups, size_t count)
{
	size_t large = 0;

	while (large < count &&
	       groups[large].difference_ns > groups[0].difference_ns / 100)
		large++;
	return large ? large : 1;
}

/* How often each cause was; people need no table where each was once. */
static void show_causes(struct report_input *input, const struct why *why,
			const struct why_study *from, struct doc *doc)
{
	struct table *table = table_new(cause_columns, COUNT(cause_columns));
	size_t count;
	struct study_group *groups = study_groups(&from->study, &count);
	struct section *section;

	for (size_t i = 0; i < count; i++)
		add_group(table, why, from, &groups[i]);
	section = report_add_table(doc, "causes", "Causes, and how often each", table,
				   report_limit(input, large_groups(groups, count)),
				   "cause", "difference_ns", "the difference");
	if (count == from->study.slow_count)
		section->flags |= SECTION_MACHINE;
	free(groups);
}

static enum exit_status show_calls(struct report_input *input, const struct why *why,
				   const struct why_study *from, struct doc *doc,
				   const char *title)
{
	struct table *table = table_new(call_columns, COUNT(call_columns));
	struct section *section;
	enum exit_status status;

	for (size_t i = 0; i < from->study.call_count; i++)
		if (from->study.calls[i].is_slow)
			add_call(table, why, from, i);
	status = report_sort(input, table, "difference_ns", "case_id");
	if (status) {
		table_free(table);
		return status;
	}
	section = report_add_table(doc, "slow_calls", title, table,
				   report_limit(input, large_count(&from->study)),
				   "slow call", "difference_ns", "the difference");
	section->flags = SECTION_MAIN;
	section->about = from->function_id;
	return STATUS_OK;
}

/* Counts for people: means of few calls. */
static struct cell mean_cell(struct table *table, double value)
{
	struct strbuf text = {0};
	struct cell cell;

	if (value >= 100 || value == round(value))
		units_count(&text, whole_number(value));
	else
		strbuf_printf(&text, "%.3g", value);
	cell = table_text(table, strbuf_text(&text));
	strbuf_free(&text);
	return cell;
}

static struct cell calls_cell(const struct report_input *input, struct table *table,
			      double value)
{
	return input->options->machine ? cell_real(value) : mean_cell(table, value);
}

static void add_path(const struct report_input *input, struct table *table,
		     const struct why *why, const struct study *study, uint32_t number)
{
	const struct study_path *path = &study->paths[number];
	struct study_numbers slow = {0};
	struct cell *row = table_add_row(table);

	study_numbers_add(&slow, &path->slow, 1.0 / (double)study->slow_count);
	*row++ = cell_real(0);
	*row++ = ns_cell(slow.self_ns);
	*row++ = ns_cell(path->usual.self_ns);
	*row++ = calls_cell(input, table, slow.calls);
	*row++ = calls_cell(input, table, path->usual.calls);
	*row++ = ns_cell(slow.blocked_ns);
	*row++ = ns_cell(path->usual.blocked_ns);
	*row++ = ns_cell(slow.alloc_bytes);
	*row++ = ns_cell(path->usual.alloc_bytes);
	*row++ = cell_real(slow.alloc_count);
	*row++ = cell_real(path->usual.alloc_count);
	*row++ = cell_integer(path->slow_count);
	*row++ = cell_integer(path->usual_count);
	*row++ = ns_cell(slow.self_ns - path->usual.self_ns);
	*row++ = table_text(table, why_path_name(why, study, number));
	*row++ = input->options->machine ? chain(table, why, study, number)
					 : (struct cell){.kind = CELL_NULL};
	*row = cell_integer(path->path_id);
}

static void set_shares(struct table *table)
{
	double sum = 0;

	for (size_t i = 0; i < table->row_count; i++)
		sum += cell_number(table_cell(table, i, "difference_ns"));
	for (size_t i = 0; i < table->row_count; i++)
		*table_cell(table, i, "share_percent") = cell_real(units_share(
			cell_number(table_cell(table, i, "difference_ns")), sum));
}

static void show_paths(struct report_input *input, const struct why *why,
		       const struct study *study, struct doc *doc)
{
	struct table *table;

	if (!study->slow_count)
		return;
	table = table_new(path_columns, COUNT(path_columns));
	for (uint32_t i = 0; i < study->path_count; i++)
		if (study->paths[i].slow_count || study->paths[i].usual_count)
			add_path(input, table, why, study, i);
	set_shares(table);
	table_sort(table, table_column(table, "difference_ns"),
		   table_column(table, "path_id"));
	report_add_table(doc, "paths", "Path by path: the mean slow call and the usual",
			 table, report_limit(input, DEFAULT_ROWS), "path",
			 "difference_ns", "the difference");
}

enum exit_status why_show_study(struct report_input *input, const struct why *why,
				const struct why_study *from, struct doc *doc)
{
	enum exit_status status = STATUS_OK;

	if (from->study.slow_count) {
		show_causes(input, why, from, doc);
		status = show_calls(input, why, from, doc,
				    "Slow calls, and what took them longer");
	}
	if (!status)
		show_paths(input, why, &from->study, doc);
	return status;
}

static enum exit_status show_brief(struct report_input *input, const struct why *why,
				   const struct why_study *from, struct doc *doc)
{
	struct strbuf title = {0};
	enum exit_status status;

	strbuf_puts(&title, "Slow calls of ");
	shorten_name(&title, from->name, TITLE_COLUMNS, &shorten_utf8);
	status = show_calls(input, why, from, doc, doc_copy(doc, strbuf_text(&title)));
	strbuf_free(&title);
	return status;
}

enum exit_status why_add_brief(struct report_input *input, struct doc *doc)
{
	struct why why;
	enum exit_status status = why_load(input, doc, &why);

	for (size_t i = 0; status == STATUS_OK && i < why.count; i++)
		if (why.all[i].study.slow_count)
			status = show_brief(input, &why, &why.all[i], doc);
	why_done(&why);
	return status;
}
