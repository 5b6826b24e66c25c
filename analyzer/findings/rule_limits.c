/* SPDX-License-Identifier: MIT */
/* The current values of limits, and whether they contradict each other. */
#include "analyzer/findings/rule_limits.h"

#include "common/base/xalloc.h"

#include <stdlib.h>
#include <string.h>

void rule_limits_declare(struct rule_limits *limits, const char *id, const char *slug,
			 const struct rule_limit *table)
{
	ARRAY_ADD(limits->rules, limits->rule_count) =
		(struct rule_limits_entry){.id = id, .slug = slug, .is_enabled = true};
	for (; table && table->name; table++)
		ARRAY_ADD(limits->values, limits->value_count) =
			(struct rule_limit_value){
				.rule = id, .limit = table, .value = table->value};
}

struct rule_limit_value *rule_limits_find(const struct rule_limits *limits,
					  const char *rule, const char *name)
{
	for (size_t i = 0; i < limits->value_count; i++)
		if (strcmp(limits->values[i].rule, rule) == 0 &&
		    strcmp(limits->values[i].limit->name, name) == 0)
			return &limits->values[i];
	return NULL;
}

struct rule_limits_entry *rule_limits_rule(const struct rule_limits *limits,
					   const char *word)
{
	for (size_t i = 0; i < limits->rule_count; i++)
		if (strcasecmp(limits->rules[i].id, word) == 0 ||
		    strcasecmp(limits->rules[i].slug, word) == 0)
			return &limits->rules[i];
	return NULL;
}

/* Finds "medium_ns" of the same rule, or "M8.big_bytes". */
static const struct rule_limit_value *greater(const struct rule_limits *limits,
					      const struct rule_limit_value *value)
{
	const char *name = value->limit->not_above,
		   *dot = name ? strchr(name, '.') : NULL;
	char *rule;

	if (!name)
		return NULL;
	if (!dot)
		return rule_limits_find(limits, value->rule, name);
	rule = strndupa(name, (size_t)(dot - name));
	return rule_limits_find(limits, rule, dot + 1);
}

static bool is_wrong(const struct rule_limits *limits,
		     const struct rule_limit_value *value,
		     struct rule_limits_conflict *ret)
{
	const struct rule_limit *limit = value->limit;
	const struct rule_limit_value *other = greater(limits, value);

	*ret = (struct rule_limits_conflict){.blamed = value};
	if (other && value->value > other->value) {
		ret->is_above = value->key || !other->key;
		ret->blamed = ret->is_above ? value : other;
		ret->other = ret->is_above ? other : value;
		return true;
	}
	ret->is_above = limit->most > 0 && value->value > limit->most;
	ret->number = ret->is_above ? limit->most : limit->least;
	return ret->is_above || value->value < limit->least;
}

bool rule_limits_conflict(const struct rule_limits *limits,
			  struct rule_limits_conflict *ret)
{
	for (size_t i = 0; i < limits->value_count; i++)
		if (is_wrong(limits, &limits->values[i], ret))
			return true;
	return false;
}
