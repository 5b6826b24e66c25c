/* SPDX-License-Identifier: MIT */
/* What all rules need: queries, texts, findings about paths and functions. */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "analyzer/model/table.h"
#include "analyzer/rundb/rundb.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct rule *rule_find(const char *word)
{
	for (size_t i = 0; i < rule_registry_count; i++)
		if (strcasecmp(rule_registry[i]->id, word) == 0 ||
		    strcasecmp(rule_registry[i]->slug, word) == 0)
			return rule_registry[i];
	return NULL;
}

double rule_limit_of(struct rule_input *input, const char *rule, const char *name)
{
	const struct rule_limit_value *found =
		rule_limits_find(input->limits, rule, name);

	if (found)
		return found->value;
	strbuf_printf(input->error, "rule %s has no limit '%s'", rule, name);
	return NAN;
}

double rule_limit(struct rule_input *input, const char *name)
{
	return rule_limit_of(input, input->rule->id, name);
}

/* The run's time without what the recorder added to it and without waiting for a CPU: so
 * costs that were measured at rest can be compared with it. */
static double own_run_ns(const struct rule_input *input)
{
	const struct time_run *run = input->time_run;
	double lanes = run->lane_count > 1 ? (double)run->lane_count : 1;

	return fmax(run->run_ns - input->frames_cost_ns / lanes, 0.1 * run->run_ns);
}

/* A name that the query does not ask for is passed over. */
void rule_bind_run(const struct rule_input *input, struct cursor *cursor)
{
	const struct time_run *run = input->time_run;
	const struct {
		const char *name;
		double value;
	} values[] = {
		{":run_ns", run->run_ns},
		{":wall_ns", input->wall_ns},
		{":lived_ns", run->lived_ns},
		{":own_run_ns", own_run_ns(input)},
		{":hook_ns", input->hook_cost_ns},
		{":hooks_ns", (double)input->calls * input->hook_cost_ns},
		{":run_hooks_ns", run->hooks_ns},
		{":cpus", (double)input->cpu_count},
		{":is_live", input->is_live},
		{":has_split", run->has_split},
		{":lanes", (double)run->lane_count},
		/* of the threads that were asked */
		{":threads", (double)run->threads.count},
		{":busy", (double)run->threads.busy_count},
		{":threads_ns", run->threads.wall_ns},
		{":cpu_ns", run->threads.cpu_ns},
		{":ready_ns", run->threads.ready_ns},
		{":blocked_ns", run->threads.blocked_ns},
		/* memory */
		{":run_peak_bytes", input->peak_bytes},
		{":run_peaks_bytes", input->peaks_bytes},
		{":alloc_count", input->alloc_count},
		{":snapshots", (double)input->snapshot_count},
		/* of the samples of /proc */
		{":span_ns", run->span_ns},
		{":sampled_cpu_ns", run->sampled_cpu_ns},
		{":minor_faults", run->minor_faults},
		{":major_faults", run->major_faults},
		{":rss_peak_bytes", run->rss_peak_bytes},
	};

	cursor_bind_integer(cursor, ":run", input->run_id);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		cursor_bind_real(cursor, values[i].name, values[i].value);
}

static void bind_limits(struct rule_input *input, struct cursor *cursor,
			const struct rule *rule, const char *prefix)
{
	const struct rule_limit *limit = rule->limits;

	for (; limit && limit->name; limit++) {
		char name[64];

		snprintf(name, sizeof(name), ":%s%s%s", prefix, *prefix ? "_" : "",
			 limit->name);
		cursor_bind_real(cursor, name,
				 rule_limit_of(input, rule->id, limit->name));
	}
}

struct cursor *rule_query(struct rule_input *input, const char *sql)
{
	struct cursor *cursor = rundb_query(input->db, sql);
	const struct rule *rule = input->rule;

	rule_bind_run(input, cursor);
	if (rule)
		bind_limits(input, cursor, rule, "");
	if (rule && rule->borrows)
		bind_limits(input, cursor, rule_find(rule->borrows), rule->borrows);
	return cursor;
}

int rule_finish(struct rule_input *input, struct cursor *cursor, int result)
{
	int failure = cursor_finish(cursor);

	if (result >= 0)
		result = failure;
	if (result < 0 && !input->error->size)
		strbuf_puts(input->error, rundb_error(input->db));
	return result < 0 ? result : RULE_DONE;
}

int rule_not_measured(struct rule_input *input, const char *reason)
{
	input->reason = reason;
	return RULE_NOT_MEASURED;
}

const char *rule_text(struct rule_input *input, const char *format, ...)
{
	const char *copy;
	va_list arguments;
	char *text;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("out of memory");
	va_end(arguments);
	copy = rule_copy(input, text);
	free(text);
	return copy;
}

const char *rule_copy(struct rule_input *input, const char *text)
{
	return text ? arena_copy(input->arena, text, strlen(text)) : NULL;
}

double rule_share(double part, double whole)
{
	double share = whole > 0 ? part / whole : 0;

	return !(share > 0) ? 0 : share > 1 ? 1 : share;
}

static const char *place(struct rule_input *input, const char *file, int64_t line)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!file)
		return NULL;
	file = slash ? slash + 1 : file;
	return line ? rule_text(input, "%s:%lld", file, (long long)line)
		    : rule_copy(input, file);
}

static void set_path(struct rule_input *input, struct finding *finding, uint32_t node)
{
	struct strbuf text = {0};

	calltree_put_chain(input->tree, node, " > ", &text);
	finding->path = rule_copy(input, strbuf_text(&text));
	strbuf_reset(&text);
	calltree_put_chain(input->tree, node, TABLE_CHAIN_END_TEXT, &text);
	finding->chain = rule_copy(input, strbuf_text(&text));
	strbuf_free(&text);
}

void rule_set_line(struct rule_input *input, struct finding *finding, const char *file,
		   int64_t line)
{
	finding->file = rule_copy(input, file);
	finding->line = line > 0 && line < UINT32_MAX ? (uint32_t)line : 0;
	finding->where = place(input, file, line);
}

static void put_chain(struct rule_input *input, int64_t path_id, struct strbuf *text)
{
	uint32_t last[3], node = calltree_find(input->tree, path_id);
	size_t count = 0;

	for (; node != CALLTREE_NONE && count < 3; node = input->tree->nodes[node].parent)
		last[count++] = node;
	strbuf_puts(text, node != CALLTREE_NONE ? "... > " : "");
	while (count--)
		strbuf_printf(text, "%s%s", calltree_name(input->tree, last[count]),
			      count ? " > " : "");
}

static void put_column(struct rule_input *input, struct cursor *cursor, const char *name,
		       size_t size, struct strbuf *filled)
{
	bool is_path = *name == '>';
	int column = cursor_find(cursor, name + is_path, size - is_path);

	if (is_path && column >= 0)
		put_chain(input, whole_number(cursor_real_at(cursor, column)), filled);
	else if (column >= 0 && cursor_text_at(cursor, column))
		strbuf_puts(filled, cursor_text_at(cursor, column));
}

static void put_limit(struct rule_input *input, const char *name, size_t size,
		      struct strbuf *filled)
{
	char *copy = xstrndup(name, size);

	strbuf_printf(filled, "%.15g", rule_limit(input, copy));
	free(copy);
}

const char *rule_fill(struct rule_input *input, struct cursor *cursor, const char *text)
{
	struct strbuf filled = {0};
	const char *copy;

	for (const char *open; text && (open = strchr(text, '{')); text = open + 1) {
		const char *name = open + 1;
		size_t size = strcspn(name, "}");

		strbuf_printf(&filled, "%.*s", (int)(open - text), text);
		if (strncmp(name, "run}", 4) == 0)
			strbuf_printf(&filled, "%lld", (long long)input->run_id);
		else if (*name == '=')
			put_limit(input, name + 1, size - 1, &filled);
		else
			put_column(input, cursor, name, size, &filled);
		open = name + size;
	}
	if (text)
		strbuf_puts(&filled, text);
	copy = rule_copy(input, strbuf_text(&filled));
	strbuf_free(&filled);
	return copy;
}

struct finding *rule_add(struct rule_input *input, struct findings *ret)
{
	struct finding *finding =
		findings_add(ret, input->rule, input->rule->id[0], input->rule->specific);

	finding->explains = input->rule->explains;
	return finding;
}

static struct finding *add_node(struct rule_input *input, struct findings *ret,
				uint32_t node)
{
	struct finding *finding = rule_add(input, ret);
	const struct calltree_node *at = &input->tree->nodes[node];

	finding->path_id = at->path_id;
	set_path(input, finding, node);
	finding->function = rule_copy(input, calltree_name(input->tree, node));
	if (at->function != CALLTREE_NONE) {
		const struct calltree_function *function =
			&input->tree->functions[at->function];

		finding->function_id = function->function_id;
		finding->is_region = function->is_region;
		rule_set_line(input, finding, function->file, function->line);
		if (function->is_region && function->component && *function->component)
			finding->where =
				rule_text(input, "component %s", function->component);
	}
	return finding;
}

struct finding *rule_add_path(struct rule_input *input, struct findings *ret,
			      int64_t path_id)
{
	uint32_t node = calltree_find(input->tree, path_id);

	return node == CALLTREE_NONE ? rule_add(input, ret) : add_node(input, ret, node);
}

struct finding *rule_add_function(struct rule_input *input, struct findings *ret,
				  int64_t function_id)
{
	const struct calltree *tree = input->tree;
	uint32_t function = calltree_function(tree, function_id), best = CALLTREE_NONE;
	int64_t most = -1;

	for (size_t i = 0; function != CALLTREE_NONE && i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];

		if (node->function == function && node->self_ns > most) {
			most = node->self_ns;
			best = tree->order[i];
		}
	}
	return best == CALLTREE_NONE ? rule_add(input, ret) : add_node(input, ret, best);
}
