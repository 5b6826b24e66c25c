/* SPDX-License-Identifier: MIT */
/*
 * Asks rules: their tables are made, their queries asked, and what the rows have is held
 * against the limits, and told. Must not judge by a number that is in neither.
 */
#include "analyzer/rules/rule.h"

#include "common/base/xalloc.h"
#include "analyzer/rules/owners.h"
#include "analyzer/rundb/rundb.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A gain of less time counts in proportion: 3 ms are nobody's trouble, whatever their
 * share of a short run. */
#define MATTERS_NS 10e6

/* A limit of the rule, or a column with it; NAN: the row has none. */
static double limit_of(struct rule_input *input, struct cursor *cursor,
		       const struct rule_value *value)
{
	if (rule_limits_find(input->limits, input->rule->id, value->limit))
		return rule_limit(input, value->limit);
	return cursor_is_null(cursor, value->limit) ? NAN
						    : cursor_real(cursor, value->limit);
}

static bool passes(struct rule_input *input, struct cursor *cursor,
		   const struct rule_value *value)
{
	double is = cursor_real(cursor, value->column);

	if (!value->limit || value->how > RULE_AT_MOST)
		return true;
	return value->how == RULE_AT_MOST ? !(is > limit_of(input, cursor, value))
					  : !(is < limit_of(input, cursor, value));
}

/* The value of an optional column. */
static double value_of(struct cursor *cursor, const char *name, double otherwise)
{
	int column = cursor_find(cursor, name, strlen(name));

	return column < 0 || !cursor_text_at(cursor, column)
		       ? otherwise
		       : cursor_real_at(cursor, column);
}

static const char *text_of(struct cursor *cursor, const char *name, const char *otherwise)
{
	int column = cursor_find(cursor, name, strlen(name));
	const char *text = column < 0 ? NULL : cursor_text_at(cursor, column);

	return text ? text : otherwise;
}

static void tell_value(struct rule_input *input, struct finding *finding,
		       struct cursor *cursor, const struct rule_value *value)
{
	double scale = strcmp(value->unit, "percent") == 0 ? 100 : 1;
	double is = cursor_real(cursor, value->column);
	double limit = value->limit ? limit_of(input, cursor, value) : NAN;
	char error[64];

	if (cursor_is_null(cursor, value->column))
		return;
	if (isnan(limit) || (value->how == RULE_CROSSED && is < limit))
		finding_evidence(finding, value->words, value->unit, scale * is);
	else
		finding_evidence_limit(finding, value->words, value->unit, scale * is,
				       scale * limit);
	snprintf(error, sizeof(error), "%s_error", value->column);
	finding_evidence_error(finding, value_of(cursor, error, 0));
}

static void tell_gain(struct rule_input *input, struct finding *finding,
		      struct cursor *cursor)
{
	double ns = value_of(cursor, "saving_ns", 0);
	double bytes = value_of(cursor, "saving_bytes", 0);
	double of_ns = value_of(cursor, "of_ns", input->run_ns);
	double of_bytes = value_of(cursor, "of_bytes", 0);

	finding->saving_ns = fmax(0, ns);
	finding->saving_bytes = bytes;
	finding->saving_of_bytes = value_of(cursor, "saving_of_bytes", 0);
	finding->saving_allocs = value_of(cursor, "saving_allocs", 0);
	finding->saving_share = rule_share(finding->saving_ns, of_ns);
	finding->impact =
		value_of(cursor, "at_stake",
			 bytes > 0 ? rule_share(bytes, of_bytes) : finding->saving_share);
	if (ns > 0 && ns < MATTERS_NS)
		finding->impact *= ns / MATTERS_NS;
	if (rule_limits_find(input->limits, input->rule->id, "weight"))
		finding->impact *= rule_limit(input, "weight");
}

static void tell_severity(const struct rule *rule, struct finding *finding,
			  struct cursor *cursor)
{
	double severity = value_of(cursor, "severity", 0);

	finding->confidence =
		(enum confidence)value_of(cursor, "confidence", CONFIDENCE_MEDIUM);
	finding->specific = (unsigned)value_of(cursor, "specific", rule->specific);
	finding->least_severity = rule->least;
	if (severity > 0)
		finding_fix_severity(finding, (enum severity)severity);
	if (rule->most)
		finding_cap_severity(finding, rule->most);
}

static void tell_words(struct rule_input *input, struct finding *finding,
		       struct cursor *cursor, const char *proof)
{
	const struct rule *rule = input->rule;

	finding->says = rule_fill(
		input, cursor, rule->says ? rule->says : text_of(cursor, "says", NULL));
	finding->why = rule_fill(input, cursor,
				 rule->why ? rule->why : text_of(cursor, "why", NULL));
	for (size_t i = 0; rule->advice[i]; i++) {
		const char *advice = rule_fill(input, cursor, rule->advice[i]);

		if (*advice)
			finding_advise(finding, advice);
	}
	finding->sql = rule_fill(input, cursor, text_of(cursor, "proof", proof));
}

/* For a call of libc, directly or through a library, points to the line of the call
 * instead of the function. */
static void tell_call(struct rule_input *input, struct finding *finding,
		      const char *callee)
{
	const struct calltree *tree = input->tree;
	uint32_t caller = calltree_find(tree, finding->path_id);

	for (size_t i = 0; callee && caller != CALLTREE_NONE && i < tree->order_count;
	     i++) {
		uint32_t at = tree->order[i];

		if (strcmp(calltree_name(tree, at), callee) != 0 ||
		    tree->nodes[at].parent == CALLTREE_NONE ||
		    calltree_owner(tree, tree->nodes[at].parent) != caller)
			continue;
		while (tree->nodes[at].parent != caller)
			at = tree->nodes[at].parent;
		if (tree->nodes[at].call_file && tree->nodes[at].call_line)
			rule_set_line(input, finding, tree->nodes[at].call_file,
				      tree->nodes[at].call_line);
	}
}

static void tell(struct rule_input *input, struct findings *ret, struct cursor *cursor)
{
	const struct rule *rule = input->rule;
	int64_t path = whole_number(value_of(cursor, "path_id", 0));
	int64_t function = whole_number(value_of(cursor, "function_id", 0));
	size_t owner = (size_t)value_of(cursor, "owner_id", 0);
	const char *proof = rule->proof;
	struct finding *finding = owner ? memory_owner_finding(input, ret, owner, &proof)
				  : path > 0	 ? rule_add_path(input, ret, path)
				  : function > 0 ? rule_add_function(input, ret, function)
						 : rule_add(input, ret);

	if (text_of(cursor, "call_file", NULL))
		rule_set_line(input, finding, text_of(cursor, "call_file", NULL),
			      whole_number(value_of(cursor, "call_line", 0)));
	tell_gain(input, finding, cursor);
	tell_severity(rule, finding, cursor);
	for (const struct rule_value *value = rule->values; value->column; value++)
		if (value->words)
			tell_value(input, finding, cursor, value);
	finding->step = rule_copy(input, text_of(cursor, "about_step", NULL));
	tell_words(input, finding, cursor, proof);
	if (owner)
		finding->says = rule_text(input, "%s%s", finding->says,
					  memory_owner_others(input, owner));
	tell_call(input, finding, text_of(cursor, "callee", NULL));
}

static int look(struct rule_input *input, struct findings *ret)
{
	struct cursor *cursor = rule_query(input, input->rule->sql);
	const char *reason = NULL;
	size_t before = ret->count;
	int result;

	while (cursor_next(cursor) > 0) {
		const struct rule_value *value = input->rule->values;
		const char *missing =
			rule_copy(input, text_of(cursor, "unmeasured", NULL));

		reason = missing ? missing : reason;
		while (value->column && passes(input, cursor, value))
			value++;
		if (!missing && !value->column)
			tell(input, ret, cursor);
	}
	result = rule_finish(input, cursor, 0);
	return result || !reason || ret->count > before
		       ? result
		       : rule_not_measured(input, reason);
}

static int keep(struct rule_input *input, const struct rule_table *table)
{
	int result = 0;

	if (!table->compute && !table->is_view)
		return rule_keep(input, table->name, table->sql, false);
	result = table->compute ? table->compute(input)
				: rundb_view(input->db, table->name, table->sql);
	if (result < 0 && !input->error->size)
		strbuf_puts(input->error, rundb_error(input->db));
	return result;
}

static int keep_used(struct rule_input *input)
{
	const char *const *name = input->rule->uses;
	int result = 0;

	for (; name && *name && result == 0; name++)
		for (size_t i = 0; rule_tables[i].name && result == 0; i++)
			if (strcmp(rule_tables[i].name, *name) == 0 && !input->kept[i]) {
				result = keep(input, &rule_tables[i]);
				input->kept[i] = true;
			}
	return result;
}

/* Looks at the owners of sites. If nothing is found and wrappers divide what their
 * callers have, looks at wrappers as owners. */
static int look_at_owners(struct rule_input *input, struct findings *ret)
{
	ended_by(memory_owners_free) struct memory_owners owners = {0};
	size_t before = ret->count;
	int result = memory_owners_load(input, &owners);

	for (input->owners = &owners; result == 0 && input->owners;
	     input->owners = owners.has_wrappers && input->rule->through_wrappers &&
					     input->owners == &owners &&
					     ret->count == before
				     ? owners.plain
				     : NULL) {
		result = memory_owners_keep(input, input->owners);
		if (result == 0)
			result = look(input, ret);
	}
	input->owners = NULL;
	return result;
}

/* RULE_NOT_MEASURED if the rule's own query says why. */
static int find_missing(struct rule_input *input)
{
	struct cursor *cursor = rule_query(input, input->rule->unmeasured);
	const char *reason = cursor_next(cursor) > 0
				     ? rule_copy(input, cursor_text_at(cursor, 0))
				     : NULL;
	int result = rule_finish(input, cursor, 0);

	return result || !reason ? result : rule_not_measured(input, reason);
}

static int ask_for_facts(struct rule_input *input)
{
	int result = rule_keep(input, "quality", input->rule->facts, true);
	struct cursor *cursor;

	if (result < 0)
		return result;
	cursor = rule_query(input, "SELECT 1 FROM quality");
	result = cursor_next(cursor) > 0 ? RULE_HAS_FACTS : RULE_DONE;
	cursor_close(cursor);
	return result;
}

int rule_ask(struct rule_input *input, struct findings *ret)
{
	const struct rule *rule = input->rule;
	int result;

	if (rule->facts)
		return ask_for_facts(input);
	input->findings = ret;
	result = keep_used(input);
	if (result == 0 && rule->unmeasured)
		result = find_missing(input);
	if (result)
		return result;
	return rule->sites ? look_at_owners(input, ret) : look(input, ret);
}
