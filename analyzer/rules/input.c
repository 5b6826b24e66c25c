/* SPDX-License-Identifier: MIT */
/* What all rules need: queries, texts, findings about paths and functions. */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "common/recipe.h"
#include "analyzer/model/table.h"
#include "analyzer/model/units.h"
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

/* Parameters that the query does not have are skipped. */
static void bind_run(void *context, struct cursor *cursor)
{
	const struct rule_input *input = context;

	input->bind(input->context, cursor);
	cursor_bind_real(cursor, ":frames_alloc_count",
			 calltree_allocs_of_frames(input->tree));
	cursor_bind_text(cursor, ":header_recipe", recipe_advice(COMPILER_UNKNOWN));
	for (size_t i = 0; i < input->run_count; i++)
		cursor_bind_real(cursor, input->run[i].name, input->run[i].value);
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

static void bind(void *context, struct cursor *cursor)
{
	struct rule_input *input = context;
	const struct rule *rule = input->rule;

	bind_run(input, cursor);
	if (rule)
		bind_limits(input, cursor, rule, "");
	if (rule && rule->borrows)
		bind_limits(input, cursor, rule_find(rule->borrows), rule->borrows);
}

struct cursor *rule_query(struct rule_input *input, const char *sql)
{
	struct cursor *cursor = rundb_query(input->db, sql);

	bind(input, cursor);
	return cursor;
}

static int set_error(struct rule_input *input, int result)
{
	if (result < 0 && !input->error->size)
		strbuf_puts(input->error, rundb_error(input->db));
	return result;
}

int rule_keep(struct rule_input *input, const char *name, const char *sql, bool of_rule)
{
	return set_error(input, rundb_keep_bound(input->db, name, sql,
						 of_rule ? bind : bind_run, input));
}

int rule_finish(struct rule_input *input, struct cursor *cursor, int result)
{
	int failure = cursor_finish(cursor);

	if (result >= 0)
		result = failure;
	return set_error(input, result) < 0 ? result : RULE_DONE;
}

int rule_not_measured(struct rule_input *input, const char *reason)
{
	input->reason = reason;
	return RULE_NOT_MEASURED;
}

const char *rule_text(struct rule_input *input, const char *format, ...)
{
	va_list arguments;
	auto_free char *text = NULL;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = xstrdup("out of memory");
	va_end(arguments);
	return rule_copy(input, text);
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
	if (!file)
		return NULL;
	file = basename(file);
	return line ? rule_text(input, "%s:%lld", file, (long long)line)
		    : rule_copy(input, file);
}

static void set_path(struct rule_input *input, struct finding *finding, uint32_t node)
{
	ended_by(strbuf_free) struct strbuf text = {0};

	calltree_put_chain(input->tree, node, " > ", &text);
	finding->path = rule_copy(input, strbuf_text(&text));
	strbuf_reset(&text);
	calltree_put_chain(input->tree, node, TABLE_CHAIN_END_TEXT, &text);
	finding->chain = rule_copy(input, strbuf_text(&text));
	strbuf_reset(&text);
	calltree_put_calls(input->tree, node, TABLE_CHAIN_END_TEXT, &text);
	finding->calls = rule_copy(input, strbuf_text(&text));
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

static const struct rule_value *told_value(const struct rule *rule, const char *name,
					   size_t size)
{
	const struct rule_value *value = rule->values;

	for (; value && value->column; value++)
		if (value->unit && strlen(value->column) == size &&
		    strncmp(value->column, name, size) == 0)
			return value;
	return NULL;
}

/* Appends a number with its unit and its error. */
static void put_number(struct cursor *cursor, const struct rule_value *value,
		       double number, struct strbuf *filled)
{
	double scale = strcmp(value->unit, "percent") == 0 ? 100 : 1;
	ended_by(strbuf_free) struct strbuf name = {0};
	int error;

	strbuf_printf(&name, "%s_error", value->column);
	error = cursor_find(cursor, strbuf_text(&name), name.size);
	units_estimate(filled, scale * number,
		       error < 0 ? 0 : scale * cursor_real_at(cursor, error),
		       value->unit);
}

static void put_column(struct rule_input *input, struct cursor *cursor, const char *name,
		       size_t size, struct strbuf *filled)
{
	bool is_path = *name == '>';
	const struct rule_value *value = told_value(input->rule, name, size);
	int column = cursor_find(cursor, name + is_path, size - is_path);

	if (column < 0 || !cursor_text_at(cursor, column))
		return;
	if (is_path)
		put_chain(input, whole_number(cursor_real_at(cursor, column)), filled);
	else if (value)
		put_number(cursor, value, cursor_real_at(cursor, column), filled);
	else
		strbuf_puts(filled, cursor_text_at(cursor, column));
}

/* Appends "1 call" or "13 calls", or one of two words. */
static void put_counted(struct cursor *cursor, const char *name, size_t size,
			const char *words, struct strbuf *filled)
{
	int column = cursor_find(cursor, name, size);
	int64_t count = column < 0 ? 0 : whole_number(cursor_real_at(cursor, column));
	auto_free char *word = xstrndup(words + 1, strcspn(words, "}") - 1);
	char *many = strchr(word, '|');

	if (*words == ' ')
		units_counted(filled, count, word);
	else if (many && count == 1)
		strbuf_add(filled, word, (size_t)(many - word));
	else
		strbuf_puts(filled, many ? many + 1 : word);
}

static void put_limit(struct rule_input *input, const char *name, size_t size,
		      struct strbuf *filled)
{
	auto_free char *copy = xstrndup(name, size);

	strbuf_printf(filled, "%.15g", rule_limit(input, copy));
}

const char *rule_fill(struct rule_input *input, struct cursor *cursor, const char *text)
{
	ended_by(strbuf_free) struct strbuf filled = {0};

	for (const char *open; text && (open = strchr(text, '{')); text = open + 1) {
		const char *name = open + 1;
		size_t size = strcspn(name, "}"), end = strcspn(name, " |}");

		strbuf_printf(&filled, "%.*s", (int)(open - text), text);
		if (strncmp(name, "run}", 4) == 0)
			strbuf_printf(&filled, "%lld", (long long)input->run_id);
		else if (*name == '=')
			put_limit(input, name + 1, size - 1, &filled);
		else if (end < size)
			put_counted(cursor, name, end, name + end, &filled);
		else
			put_column(input, cursor, name, size, &filled);
		open = name + size;
	}
	if (text)
		strbuf_puts(&filled, text);
	return rule_copy(input, strbuf_text(&filled));
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

	return node == CALLTREE_NONE
		       ? rule_add(input, ret)
		       : add_node(input, ret, calltree_owner(input->tree, node));
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
