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

struct cursor *rule_query(struct rule_input *input, const char *sql)
{
	struct cursor *cursor = rundb_query(input->db, sql);
	const struct rule_limit *limit = input->rule ? input->rule->limits : NULL;

	cursor_bind_integer(cursor, ":run", input->run_id);
	for (; limit && limit->name; limit++) {
		char name[64];

		snprintf(name, sizeof(name), ":%s", limit->name);
		cursor_bind_real(cursor, name, rule_limit(input, limit->name));
	}
	return cursor;
}

int rule_first_number(struct rule_input *input, const char *sql, double otherwise,
		      double *ret)
{
	struct cursor *cursor = rule_query(input, sql);

	*ret = cursor_next(cursor) > 0 && cursor_text_at(cursor, 0)
		       ? cursor_real_at(cursor, 0)
		       : otherwise;
	return rule_finish(input, cursor, 0);
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

const char *rule_where(struct rule_input *input, const char *file, int64_t line)
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
	finding->where = rule_where(input, file, line);
}

void rule_put_chain(struct rule_input *input, int64_t path_id, struct strbuf *text)
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

const char *rule_replace(struct rule_input *input, const char *text, const char *word,
			 const char *with)
{
	const char *at = text ? strstr(text, word) : NULL;

	return !at ? text
		   : rule_text(input, "%.*s%s%s", (int)(at - text), text, with,
			       at + strlen(word));
}

static void put_column(struct rule_input *input, struct cursor *cursor, const char *name,
		       size_t size, struct strbuf *filled)
{
	bool is_path = *name == '>';
	int column = cursor_find(cursor, name + is_path, size - is_path);

	if (is_path && column >= 0)
		rule_put_chain(input, whole_number(cursor_real_at(cursor, column)),
			       filled);
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
		else if (cursor)
			put_column(input, cursor, name, size, &filled);
		else
			strbuf_printf(&filled, "{%.*s}", (int)size, name);
		open = name + size;
	}
	if (text)
		strbuf_puts(&filled, text);
	copy = rule_copy(input, strbuf_text(&filled));
	strbuf_free(&filled);
	return copy;
}

/* What the rule has for all of its findings. */
static void tell(struct rule_input *input, struct finding *finding)
{
	const struct rule *rule = input->rule;

	finding->why = rule->why;
	finding->least_severity = rule->least;
	if (rule->most)
		finding_cap_severity(finding, rule->most);
	finding_add_advice(finding, rule->advice);
	if (rule->proof)
		finding->sql = rule_fill(input, NULL, rule->proof);
}

void rule_evidence(struct rule_input *input, struct finding *finding, const char *words,
		   const char *unit, double value, const char *limit)
{
	double scale = strcmp(unit, "percent") == 0 ? 100 : 1;

	if (limit)
		finding_evidence_limit(finding, words, unit, scale * value,
				       scale * rule_limit(input, limit));
	else
		finding_evidence(finding, words, unit, scale * value);
}

struct finding *rule_add(struct rule_input *input, struct findings *ret)
{
	struct finding *finding =
		findings_add(ret, input->rule, input->rule->id[0], input->rule->specific);

	finding->explains = input->rule->explains;
	if (!input->rule->sql)
		tell(input, finding);
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
		if (!input->rule->sql)
			finding->sql =
				rule_replace(input, finding->sql, "{function_id}",
					     rule_text(input, "%lld",
						       (long long)finding->function_id));
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
				  int64_t function_id, bool by_bytes)
{
	const struct calltree *tree = input->tree;
	uint32_t function = calltree_function(tree, function_id), best = CALLTREE_NONE;
	int64_t most = -1;

	for (size_t i = 0; function != CALLTREE_NONE && i < tree->order_count; i++) {
		const struct calltree_node *node = &tree->nodes[tree->order[i]];
		int64_t weight = by_bytes ? node->alloc_bytes : node->self_ns;

		if (node->function == function && weight > most) {
			most = weight;
			best = tree->order[i];
		}
	}
	return best == CALLTREE_NONE ? rule_add(input, ret) : add_node(input, ret, best);
}
