/* SPDX-License-Identifier: MIT */
/*
 * Rules that are a query: what its rows have is held against the limits, and told. Must
 * not judge by a number that is in neither.
 */
#include "analyzer/rules/rule.h"

#include "analyzer/rundb/rundb.h"
#include "analyzer/rules/time/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A name that the query does not ask for is passed over. */
static void bind_run(struct rule_input *input, struct cursor *cursor)
{
	const struct time_run *run = input->time_run;
	const struct {
		const char *name;
		double value;
	} values[] = {
		{":run_ns", run->run_ns},
		{":wall_ns", input->wall_ns},
		{":lived_ns", run->lived_ns},
		{":hook_ns", input->hook_cost_ns},
		{":cpus", (double)input->cpu_count},
		{":is_live", input->is_live},
		{":has_split", run->has_split},
		{":hooks_ns", (double)input->calls * input->hook_cost_ns},
		{":lanes", (double)run->lane_count},
		/* of the threads that were asked */
		{":threads", (double)run->threads.count},
		{":busy", (double)run->threads.busy_count},
		{":threads_ns", run->threads.wall_ns},
		{":cpu_ns", run->threads.cpu_ns},
		{":ready_ns", run->threads.ready_ns},
		{":blocked_ns", run->threads.blocked_ns},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		cursor_bind_real(cursor, values[i].name, values[i].value);
}

static double value_of(struct cursor *cursor, const char *name, double otherwise)
{
	int column = cursor_find(cursor, name, strlen(name));

	return column < 0 ? otherwise : cursor_real_at(cursor, column);
}

/* A limit of the rule's, or a column. */
static double limit_of(struct rule_input *input, struct cursor *cursor,
		       const struct rule_value *value)
{
	if (rule_limits_find(input->limits, input->rule->id, value->limit))
		return rule_limit(input, value->limit);
	return cursor_real(cursor, value->limit);
}

static bool is_crossed(struct rule_input *input, struct cursor *cursor,
		       const struct rule_value *value)
{
	double limit = limit_of(input, cursor, value),
	       is = cursor_real(cursor, value->column);

	return value->at_most ? is <= limit : is >= limit;
}

static void tell_value(struct rule_input *input, struct finding *finding,
		       struct cursor *cursor, const struct rule_value *value)
{
	double scale = strcmp(value->unit, "percent") == 0 ? 100 : 1;
	double is = scale * cursor_real(cursor, value->column);
	char error[64];

	if (cursor_is_null(cursor, value->column))
		return;
	if (value->limit)
		finding_evidence_limit(finding, value->words, value->unit, is,
				       scale * limit_of(input, cursor, value));
	else
		finding_evidence(finding, value->words, value->unit, is);
	snprintf(error, sizeof(error), "%s_error", value->column);
	finding_evidence_error(finding, value_of(cursor, error, 0));
}

static void tell(struct rule_input *input, struct findings *ret, struct cursor *cursor)
{
	const struct rule *rule = input->rule;
	double path = value_of(cursor, "path_id", 0);
	double function = value_of(cursor, "function_id", 0), saving_ns;
	struct finding *finding =
		path > 0 ? rule_add_path(input, ret, whole_number(path))
		: function > 0
			? rule_add_function(input, ret, whole_number(function), false)
			: rule_add(input, ret);

	finding->confidence =
		(enum confidence)value_of(cursor, "confidence", CONFIDENCE_MEDIUM);
	saving_ns = value_of(cursor, "saving_ns", 0);
	finding->saving_ns = fmax(0, saving_ns);
	finding->impact =
		value_of(cursor, "at_stake",
			 rule_share(saving_ns,
				    value_of(cursor, "of_ns", input->time_run->run_ns)));
	finding->saving_bytes = value_of(cursor, "saving_bytes", 0);
	if (finding->saving_bytes > 0)
		finding->impact = rule_share(finding->saving_bytes,
					     value_of(cursor, "of_bytes", 0));
	finding->least_severity = rule->least;
	if (value_of(cursor, "severity", 0) > 0)
		finding_fix_severity(finding,
				     (enum severity)value_of(cursor, "severity", 0));
	if (rule->most)
		finding_cap_severity(finding, rule->most);
	for (const struct rule_value *value = rule->values; value->column; value++)
		if (value->words)
			tell_value(input, finding, cursor, value);
	finding->why = rule_fill(input, cursor,
				 rule->why ? rule->why : cursor_text(cursor, "why"));
	for (size_t i = 0; rule->advice[i]; i++) {
		const char *advice = rule_fill(input, cursor, rule->advice[i]);

		if (*advice)
			finding_advise(finding, advice);
	}
	finding->sql = rule_fill(input, cursor, rule->proof);
}

/* Why a row says nothing; NULL: it may. */
static const char *unmeasured(struct rule_input *input, struct cursor *cursor)
{
	int column = cursor_find(cursor, "unmeasured", strlen("unmeasured"));

	return column < 0 ? NULL : rule_copy(input, cursor_text_at(cursor, column));
}

int rule_look(struct rule_input *input, struct findings *ret)
{
	struct cursor *cursor = rule_query(input, input->rule->sql);
	const char *reason = NULL;
	size_t before = ret->count;
	int result;

	bind_run(input, cursor);
	while (cursor_next(cursor) > 0) {
		const struct rule_value *value = input->rule->values;
		const char *missing = unmeasured(input, cursor);

		reason = missing ? missing : reason;
		while (value->column &&
		       (!value->limit || is_crossed(input, cursor, value)))
			value++;
		if (!missing && !value->column)
			tell(input, ret, cursor);
	}
	result = rule_finish(input, cursor, 0);
	return result || !reason || ret->count > before
		       ? result
		       : rule_not_measured(input, reason);
}
