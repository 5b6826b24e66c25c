/* SPDX-License-Identifier: MIT */
/*
 * Reads a file of rules; each error names file, line and key. Must not accept unknown
 * keys: a mistyped limit would have no effect.
 */
#include "analyzer/findings/rules_file.h"

#include "analyzer/findings/json_place.h"
#include "analyzer/model/units.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Reads a number that is valid as a limit. */
static int take_number(const struct json_source *source, const char *const *keys,
		       size_t count, const json_t *value, double *ret)
{
	if (!json_is_number(value))
		return json_refuse(source, keys, count, "is not a number");
	*ret = json_number_value(value);
	if (!isfinite(*ret) || *ret < 0)
		return json_refuse(source, keys, count, "is negative");
	return 0;
}

/* Limits may be written with unit and meaning. These must be correct, because readers
 * believe them. */
static int check_text(const struct json_source *source, const char *const *keys,
		      size_t count, const json_t *value, const char *known)
{
	const char *text = json_string_value(value);

	return text && strcmp(text, known) == 0
		       ? 0
		       : json_refuse(source, keys, count, "is not %s", known);
}

static int check_limit(const struct json_source *source, const char *key,
		       const struct rule_limit *limit, json_t *value)
{
	const char *keys[] = {"rules", key, "limits", limit->name, NULL};
	json_t *member;
	int result = 0;

	json_object_foreach(value, keys[4], member)
	{
		if (strcmp(keys[4], "unit") == 0)
			result = check_text(source, keys, 5, member, limit->unit);
		else if (strcmp(keys[4], "value") != 0 && strcmp(keys[4], "meaning") != 0)
			result = json_refuse(source, keys, 5,
					     "is not known; there are value, unit and "
					     "meaning");
		if (result < 0)
			return result;
	}
	return 0;
}

static int change_limit(struct rule_limits *limits, const struct json_source *source,
			const struct rule_limits_entry *entry, const char *key,
			const char *name, json_t *value)
{
	const char *const keys[] = {"rules", key, "limits", name};
	struct rule_limit_value *limit = rule_limits_find(limits, entry->id, name);
	double number = 0;
	int result;

	if (!limit)
		return json_refuse(source, keys, 4, "%s has no such limit", entry->id);
	if (json_is_object(value)) {
		result = check_limit(source, key, limit->limit, value);
		if (result < 0)
			return result;
		value = json_object_get(value, "value");
		if (!value)
			return json_refuse(source, keys, 4, "has no value");
	}
	result = take_number(source, keys, 4, value, &number);
	if (result < 0)
		return result;
	limit->is_changed |= limit->value != number;
	limit->value = number;
	limit->key = arena_copy(&limits->texts, key, strlen(key));
	return 0;
}

static int change_limits(struct rule_limits *limits, const struct json_source *source,
			 const struct rule_limits_entry *entry, const char *key,
			 json_t *all)
{
	const char *const keys[] = {"rules", key, "limits"};
	const char *name;
	json_t *limit;

	if (!json_is_object(all))
		return json_refuse(source, keys, 3, "is not an object of limits");
	json_object_foreach(all, name, limit)
	{
		int result = change_limit(limits, source, entry, key, name, limit);

		if (result < 0)
			return result;
	}
	return 0;
}

static int change_rule(struct rule_limits *limits, const struct json_source *source,
		       const char *key, json_t *value)
{
	struct rule_limits_entry *entry = rule_limits_rule(limits, key);
	const char *keys[] = {"rules", key, NULL};
	json_t *member;
	int result = 0;

	if (!entry)
		return json_refuse(source, keys, 2, "there is no such rule");
	if (entry->is_changed)
		return json_refuse(source, keys, 2, "is %s again", entry->id);
	entry->is_changed = true;
	if (!json_is_object(value))
		return json_refuse(source, keys, 2, "is not an object");
	json_object_foreach(value, keys[2], member)
	{
		if (strcmp(keys[2], "limits") == 0)
			result = change_limits(limits, source, entry, key, member);
		else if (strcmp(keys[2], "enabled") == 0 && json_is_boolean(member))
			entry->is_enabled = json_is_true(member);
		else if (strcmp(keys[2], "enabled") == 0)
			result =
				json_refuse(source, keys, 3, "is neither true nor false");
		else if (strcmp(keys[2], "slug") == 0)
			result = check_text(source, keys, 3, member, entry->slug);
		else
			result =
				json_refuse(source, keys, 3,
					    "is not known; there are enabled and limits");
		if (result < 0)
			return result;
	}
	return 0;
}

static int change_rules(struct rule_limits *limits, const struct json_source *source,
			json_t *all)
{
	const char *key;
	json_t *value;

	if (!json_is_object(all))
		return json_refuse(source, (const char *[]){"rules"}, 1,
				   "is not an object of rules");
	json_object_foreach(all, key, value)
	{
		int result = change_rule(limits, source, key, value);

		if (result < 0)
			return result;
	}
	return 0;
}

static int check_conflict(const struct rule_limits *limits,
			  const struct json_source *source)
{
	ended_by(strbuf_free) struct strbuf value = {0}, other = {0};
	struct rule_limits_conflict conflict;
	const struct rule_limit_value *blamed;
	int result;

	if (!rule_limits_conflict(limits, &conflict))
		return 0;
	blamed = conflict.blamed;
	units_limit(&value, blamed->value, blamed->limit->unit);
	if (conflict.other) {
		strbuf_printf(&other, "%s.%s, which is ", conflict.other->rule,
			      conflict.other->limit->name);
		units_limit(&other, conflict.other->value, conflict.other->limit->unit);
	} else {
		strbuf_printf(&other, "%g", conflict.number);
	}
	result = json_refuse(source,
			     (const char *[]){"rules",
					      blamed->key ? blamed->key : blamed->rule,
					      "limits", blamed->limit->name},
			     4, "%s is %s %s", strbuf_text(&value),
			     conflict.is_above ? "above" : "below", strbuf_text(&other));
	return result;
}

static int take_file(struct rule_limits *limits, const struct json_source *source,
		     json_t *root)
{
	const char *key;
	json_t *value;
	int result;

	if (!json_is_object(root))
		return json_refuse(source, NULL, 0,
				   "is not an object with the key 'rules'");
	if (!json_object_get(root, "rules"))
		return json_refuse(source, NULL, 0, "has no key 'rules'");
	json_object_foreach(root, key, value)
	{
		if (strcmp(key, "version") == 0 && json_integer_value(value) != 1)
			return json_refuse(source, &key, 1,
					   "is not 1, the version known here");
		if (strcmp(key, "rules") != 0 && strcmp(key, "version") != 0 &&
		    strcmp(key, "about") != 0)
			return json_refuse(source, &key, 1,
					   "is not known; there are rules, version and "
					   "about");
	}
	result = change_rules(limits, source, json_object_get(root, "rules"));
	return result < 0 ? result : check_conflict(limits, source);
}

int rules_file_read(struct rule_limits *limits, const char *text, size_t size,
		    const char *name, struct strbuf *error)
{
	struct json_source source = {text, size, name, error};
	json_error_t problem;
	json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
	int result;

	if (!root) {
		strbuf_printf(error, "%s:%d: is not JSON: %s", name,
			      problem.line > 0 ? problem.line : 1, problem.text);
		return -EINVAL;
	}
	result = take_file(limits, &source, root);
	json_decref(root);
	return result;
}
